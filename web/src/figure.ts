// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The frame of everything drawn: a title, and buttons that save it as CSV, SVG or PNG.
import { csv, download, fileName, given, h, type Row } from './dom';

export interface FigureOptions {
  title: string; note?: string; compact?: boolean;
  csv: () => { header: string[]; rows: Row[] };
  svg: () => SVGSVGElement;
}

/** The text of a picture, with colors in place of the page's variables. */
export function svgText(svg: SVGSVGElement): string {
  const style = getComputedStyle(document.documentElement);
  const text = new XMLSerializer().serializeToString(svg);
  return text.replace(/var\(--([a-z0-9-]+)\)/g, (_, name) => style.getPropertyValue(`--${name}`).trim() || '#888');
}

export async function pngOf(svg: SVGSVGElement, factor = 2): Promise<Blob> {
  const text = svgText(svg);
  const [width, height] = [Number(svg.getAttribute('width')), Number(svg.getAttribute('height'))];
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = h('canvas', { width: width * factor, height: height * factor });
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png'));
}

export function figure(options: FigureOptions, ...content: (Node | null)[]): HTMLElement {
  const { title } = options;
  const save = (label: string, action: () => void) =>
    h('button', { type: 'button', class: 'save', 'aria-label': `Save ${title} as ${label}`, onclick: action }, label);
  return h('figure', { class: options.compact ? 'figure compact' : 'figure' },
    h('figcaption', {}, h('span', { class: 'figure-title' }, given(title)), h('span', { class: 'saves' },
      save('CSV', () => { const { header, rows } = options.csv(); download(fileName(title, 'csv'), 'text/csv', csv(header, rows)); }),
      save('SVG', () => download(fileName(title, 'svg'), 'image/svg+xml', svgText(options.svg()))),
      save('PNG', () => { void pngOf(options.svg()).then((blob) => download(fileName(title, 'png'), 'image/png', blob)); }))),
    options.note ? h('p', { class: 'note' }, options.note) : null, ...content);
}
