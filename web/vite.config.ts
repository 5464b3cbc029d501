// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Builds the page into one file, dist/report.html: script and style inline, a policy that lets nothing else run or load,
// the licences of the libraries inside, and the hash of these sources, by which a test finds a page that is out of date.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vite';

const sha256 = (data: string | Buffer) => createHash('sha256').update(data);

function sourceHash(): string {
  const files = ['index.html', 'package-lock.json', 'package.json', 'tsconfig.json', 'vite.config.ts'];
  for (const name of readdirSync('src')) files.push(`src/${name}`);
  files.sort();
  return sha256(files.map((f) => `${f} ${sha256(readFileSync(f)).digest('hex')}\n`).join('')).digest('hex');
}

function singleFile(): Plugin {
  return {
    name: 'single-file',
    enforce: 'post',
    generateBundle(_, bundle) {
      const page = bundle['index.html'];
      if (page?.type !== 'asset') throw new Error('no page');
      let script = '';
      let style = '';
      for (const [name, item] of Object.entries(bundle)) {
        if (item.type === 'chunk') script += item.code;
        else if (name.endsWith('.css')) style += item.source;
        if (name !== 'index.html') delete bundle[name];
      }
      script = `\n${script.replace(/<\/script/g, '<\\/script').replace(/<!--/g, '<\\!--')}`;
      const policy = `default-src 'none'; script-src 'sha256-${sha256(script).digest('base64')}'; ` +
        `style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'`;
      const licences = ['three', 'uplot'].map((name) => `${name}\n${readFileSync(`node_modules/${name}/LICENSE`, 'utf8')}`);
      const html = String(page.source)
        .replace(/<script type="module"[^>]*><\/script>\s*/, '')
        .replace(/<link rel="stylesheet"[^>]*>\s*/, '')
        .replace('<!--ricochet-head-->', () =>
          `<meta http-equiv="Content-Security-Policy" content="${policy}">\n` +
          `<meta name="ricochet-sources" content="${sourceHash()}">\n<style>${style}</style>\n` +
          `<!--\nLibraries in this page:\n\n${licences.join('\n').replace(/--/g, '- -')}-->`)
        .replace('<!--ricochet-script-->', () => `<script type="module">${script}</script>`);
      delete bundle['index.html'];
      this.emitFile({ type: 'asset', fileName: 'report.html', source: html });
    },
  };
}

export default defineConfig({
  plugins: [singleFile()],
  build: {
    target: 'es2022', cssCodeSplit: false, assetsInlineLimit: 1e8, modulePreload: false, reportCompressedSize: false,
    emptyOutDir: true,
  },
});
