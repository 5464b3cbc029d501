// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The page: summary, playback and plots side by side, then everything else.
import 'uplot/dist/uPlot.min.css';
import './style.css';
import { correlationFigure, costMapFigure, errorFigures, intervalPicture, traceFigures } from './charts';
import { Clock } from './clock';
import { readReport, type Parameter, type Report, type Tone } from './data';
import { button, download, given, h, s, show, unitText } from './dom';
import { bindKeys, impactRows, Player } from './player';
import { Plots } from './plots';
import { calibrationFigure, faceFigure, fanFigure, restFigures } from './rest';
import { table } from './tables';

const report = readReport();
const kToneWords: Record<Tone, string> = { neutral: '', good: 'Good: ', caution: 'Caution: ', bad: 'Problem: ' };
const kToneMarks: Record<Tone, string> = {
  neutral: 'M12 10.5v6M12 7.4v.2', good: 'M6.5 12.5 10.5 16.5 17.5 8', caution: 'M12 6.5v7M12 16.6v.2', bad: 'M8 8 16 16M16 8 8 16',
};

function toneIcon(tone: Tone): SVGSVGElement {
  return s('svg', { viewBox: '0 0 24 24', width: 22, height: 22, class: `tone ${tone}`, 'aria-hidden': 'true' },
    tone === 'caution' ? s('path', { d: 'M12 2 23 21.5H1z', class: 'ground' }) : s('circle', { cx: 12, cy: 12, r: 11, class: 'ground' }),
    s('path', { d: kToneMarks[tone], class: 'mark' }));
}

const kVerdicts: Record<string, { tone: Tone; text: string }> = {
  good: { tone: 'good', text: 'Good: the model explains the data' },
  limited: { tone: 'caution', text: 'Limited: use these values with care' },
  rejected: { tone: 'bad', text: 'Rejected: do not use these values' },
};

function verdict(data: Report): { tone: Tone; text: string } {
  const judged = data.estimate ? kVerdicts[data.estimate.verdict] : undefined;
  if (judged) return judged;
  const tones = data.summary.map((x) => x.tone);
  const tone: Tone = tones.includes('bad') ? 'bad' : tones.includes('caution') ? 'caution' : tones.includes('good') ? 'good' : 'neutral';
  const words: Record<string, Record<Tone, string>> = {
    sweep: { good: 'The cost map', caution: 'The cost map, with cautions', bad: 'The cost map has problems', neutral: 'The cost map' },
    validate: {
      good: 'How well the model predicts', caution: 'How well the model predicts, with cautions', bad: 'Some predictions failed', neutral: 'How well the model predicts',
    },
    predict: { good: 'Where it will rest', caution: 'Where it will rest, with cautions', bad: 'Some predictions failed', neutral: 'Where it will rest' },
    simulate: { good: 'The run is sound', caution: 'The run has remarks', bad: 'The run has steps that failed', neutral: 'The run' },
  };
  return { tone, text: (words[data.command] ?? { good: 'The result', caution: 'The result, with cautions', bad: 'The result has problems', neutral: 'The result' })[tone] };
}

function parameterCard(p: Parameter): HTMLElement {
  const identified = p.value !== null && p.identifiable;
  const bound = p.lower !== null ? `at least ${show(p.lower, 4)}` : p.upper !== null ? `at most ${show(p.upper, 4)}` : 'not identifiable';
  return h('div', { class: `parameter ${identified ? '' : 'unidentified'}` },
    h('div', { class: 'path' }, given(p.path)),
    h('div', { class: 'value' }, identified ? show(p.value, 5) : bound, h('span', { class: 'unit' }, ` ${unitText(p.unit)}`)),
    h('div', { class: 'spread' }, identified && p.std !== null ? `± ${show(p.std, 2)} standard deviation` : identified ? 'no interval' : given(p.combination ? `instead: ${p.combination}` : '')),
    intervalPicture(p));
}

function summarySection(data: Report): HTMLElement {
  const { tone, text } = verdict(data);
  return h('section', { class: 'card summary', id: 'summary', 'aria-label': 'Summary' },
    h('div', { class: `verdict ${tone}` }, toneIcon(tone), h('h2', {}, text)),
    h('ul', { class: 'sentences' }, ...data.summary.map((x) =>
      h('li', { class: x.tone }, toneIcon(x.tone), h('span', {}, h('span', { class: 'sr' }, kToneWords[x.tone]), given(x.text))))),
    data.estimate ? h('div', { class: 'parameters' }, ...data.estimate.parameters.map(parameterCard)) : null,
    h('details', { class: 'help' }, h('summary', {}, 'How to read this page'), h('dl', {},
      ...([
        ['Recorded and fitted', 'The recording is dashed and gray-violet; the model (fitted, simulated or predicted) is blue. Where they separate, the model is wrong.'],
        ['Standard deviation', 'How far an estimate would scatter if you repeated the experiment. The bar shows the 95 % interval, the diamond or arrow the start value.'],
        ['Chi-square per degree of freedom', 'The size of the residuals in units of the measurement noise. 1 is the best possible value; far above 1, the model does not explain the data.'],
        ['Residuals', 'Recorded minus fitted. They should look like noise, mostly inside the shaded band of two standard deviations.'],
        ['Impacts', 'Dashed vertical lines in the plots and ticks under the picture. A solid arrow with a square foot is a contact that sticks, a dashed one with a ring a contact that slides; its length grows with the square root of the impulse.'],
        ['Rest poses and regions', 'Dashed: the measured rest pose. Filled: the predicted one. The shaded region should contain the stated share of all tosses.'],
        ['Cursor', 'Move over a plot to read values in all of them, click to move the playback there, drag to zoom, double-click to see all again.'],
        ['Keys', 'Space: play or pause. ← →: one frame (with Shift ten). n, p: next and previous impact. [ and ]: speed. l: loop. r: view. In the picture: drag or w a s d to turn, + and − to zoom.'],
      ] as [string, string][]).flatMap(([term, words]) => [h('dt', {}, term), h('dd', {}, words)]))));
}

function section(id: string, title: string, note: string, ...content: (Node | null)[]): HTMLElement | null {
  const real = content.filter((x): x is Node => x !== null);
  if (real.length === 0) return null;
  return h('section', { class: 'card', id, 'aria-label': title }, h('h2', {}, title), note ? h('p', { class: 'note' }, note) : null, ...real);
}

function provenanceSection(data: Report): HTMLElement | null {
  const p = data.provenance;
  const quote = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`);
  const text = (title: string, name: string, content: string) => content
    ? h('details', { class: 'text' }, h('summary', {}, title),
      h('button', { type: 'button', class: 'save', onclick: () => download(name, 'text/yaml', content) }, 'Save'), h('pre', { tabindex: 0 }, given(content)))
    : null;
  return section('provenance', 'Provenance', 'Everything needed to reproduce this page.',
    h('dl', { class: 'facts' },
      h('dt', {}, 'Program'), h('dd', {}, `ricochet ${p.version} (${p.commit})`),
      h('dt', {}, 'Written'), h('dd', {}, p.written),
      ...(p.command_line.length ? [h('dt', {}, 'Command'), h('dd', {}, h('code', {}, given(p.command_line.map(quote).join(' '))))] : []),
      ...p.options.flatMap(([name, value]) => [h('dt', {}, given(name)), h('dd', {}, given(value))])),
    p.inputs.length ? table({ title: 'Inputs', columns: [{ name: 'file', unit: '' }, { name: 'SHA-256', unit: '' }], rows: p.inputs.map((i) => [i.name, i.sha256]) }) : null,
    text('The scene', 'scene.yaml', p.scene_text), text('The calibrated scene', 'calibrated.yaml', p.calibrated_text),
    data.estimate && data.estimate.log.length ? h('details', { class: 'text' }, h('summary', {}, 'Choices made on the way'),
      h('ol', {}, ...data.estimate.log.map((line) => h('li', {}, given(line))))) : null,
    h('p', { class: 'note' }, 'Long motions are reduced for display without losing extremes or impacts, and values on this page have single precision. The files are unchanged.'));
}

function themeButton(changed: () => void): HTMLButtonElement {
  const order = ['auto', 'light', 'dark'];
  const element = button('Colors: as the system', 'M12 3a9 9 0 1 0 0 18V3z', () => {
    const now = document.documentElement.dataset.theme ?? 'auto';
    const next = order[(order.indexOf(now) + 1) % 3];
    document.documentElement.dataset.theme = next;
    element.title = `Colors: ${next === 'auto' ? 'as the system' : next}`;
    element.setAttribute('aria-label', element.title);
    changed();
  }, { class: 'theme' });
  return element;
}

function build(data: Report): void {
  document.title = `${data.title} – Ricochet`;
  const hasMotion = data.motions.some((m) => m.tracks.length > 0);
  const clock = new Clock(data);
  let player: Player | null = null;
  let plots: Plots | null = null;
  const restyle = () => { player?.restyle(); plots?.restyle(); };
  const app = document.getElementById('app')!;
  const main = h('main', { id: 'main' }, summarySection(data));
  if (hasMotion) {
    plots = new Plots(data, clock);
    player = new Player(data, clock, () => {});
    bindKeys(clock, player);
    const zoomOut = h('button', { type: 'button', class: 'save', onclick: () => plots!.resetZoom() }, 'Show all');
    main.append(h('div', { class: 'split', id: 'motion' }, h('div', { class: 'sticky' }, player.element),
      h('section', { class: 'card', id: 'plots', 'aria-label': 'Plots' },
        h('div', { class: 'player-head' }, h('h2', {}, 'Plots'), zoomOut),
        h('p', { class: 'note' }, 'Point to read values, click to move the playback, drag to zoom, double-click to see all.'), plots.element)));
  }
  const e = data.estimate;
  const v = data.evaluation;
  const varied = v.cost_maps.filter((map) => v.evaluation === 'validate' && map.axes.length === 1);
  const impacts = h('div');
  const fillImpacts = () => {
    if (!hasMotion) return;
    const rows = impactRows(clock.motion, data.pairs);
    impacts.replaceChildren();
    if (rows.length) impacts.append(table({
      title: 'Impacts and lasting contacts', note: 'For the selected recording; click a row to show its moment.', pick: (i) => clock.pick(rows[i].contact),
      columns: [['time', 's'], ['duration', 's'], ['pair', ''], ['contact', ''], ['mode', ''], ['normal impulse', 'N s'],
        [data.scene.space === 'planar' ? 'tangential impulse' : 'tangential impulse x', 'N s'], ['tangential impulse y', 'N s']]
        .slice(0, data.scene.space === 'planar' ? 7 : 8).map(([name, unit]) => ({ name, unit })),
      rows: rows.map((r) => r.cells.slice(0, data.scene.space === 'planar' ? 7 : 8)),
    }));
  };
  fillImpacts();
  clock.on((change) => { if (change === 'motion') fillImpacts(); });
  const sections = [
    section('evaluation', 'Predictions against measurements', '', ...(v.errors.models.length ? [h('div', { class: 'figures' }, ...errorFigures(v))] : []), faceFigure(v), calibrationFigure(v), ...restFigures(v),
      ...(v.errors.models.length ? [table({
        title: 'Error per recording', columns: [{ name: 'recording', unit: '' }, ...v.errors.models.flatMap((m) =>
          v.errors.metrics.map((x) => ({ name: v.errors.models.length > 1 ? `${m.name}: ${x.name}` : x.name, unit: x.unit })))],
        rows: v.errors.recordings.map((name, i) => [name, ...v.errors.models.flatMap((m) => m.values.map((values) => values[i]))]),
      })] : [])),
    section('sweep', 'Cost over the parameters', '', ...v.cost_maps.filter((map) => !varied.includes(map)).map(costMapFigure)),
    section('sensitivity', 'Sensitivity', 'How the prediction changes with one parameter while the others are fixed.',
      ...(varied.length ? [h('div', { class: 'figures' }, ...varied.map(costMapFigure))] : []),
      ...v.fans.map((fan) => fanFigure(fan, v.footprint))),
    e ? section('estimate', 'The estimate', e.choice,
      h('div', { class: 'figures' }, ...[correlationFigure(e), ...traceFigures(e)].filter((x): x is HTMLElement => x !== null)),
      table({
        title: 'Parameters', columns: [['path', ''], ['start', ''], ['estimate', ''], ['standard deviation', ''], ['unit', ''], ['at least', ''], ['at most', ''], ['identifiable', ''], ['instead', '']].map(([name, unit]) => ({ name, unit })),
        rows: e.parameters.map((p) => [p.path, p.start, p.identifiable ? p.value : null, p.std, p.unit, p.lower, p.upper, p.identifiable ? 'yes' : 'no', p.combination]),
      })) : null,
    section('tables', 'Tables', '', ...(hasMotion && impacts.childNodes.length ? [impacts] : []), ...data.tables.map((t) => table({ title: t.title, columns: t.columns, rows: t.rows }))),
    provenanceSection(data),
  ].filter((x): x is HTMLElement => x !== null);
  main.append(...sections);
  const link = (id: string, label: string) => (main.querySelector(`#${id}`) ? h('a', { href: `#${id}` }, label) : null);
  const header = h('header', { class: 'top' },
    h('a', { class: 'skip', href: '#main' }, 'To the content'),
    h('div', { class: 'brand' }, s('svg', { viewBox: '0 0 40 28', width: 40, height: 28, 'aria-hidden': 'true' },
      s('path', { d: 'M2 4C7 8 11 15 13 24C16 12 20 9 23 9S29 13 31 24C33 18 35 16 38 15', class: 'bounce' }), s('circle', { cx: 38, cy: 13, r: 2, class: 'ball' })),
    h('div', {}, h('h1', {}, given(data.title)), h('p', { class: 'sub' }, `ricochet ${data.command} · ${data.provenance.written}`))),
    h('nav', { 'aria-label': 'Sections' }, link('summary', 'Summary'), link('motion', 'Motion'), link('evaluation', 'Predictions'), link('sweep', 'Cost map'),
      link('sensitivity', 'Sensitivity'), link('estimate', 'Estimate'), link('tables', 'Tables'), link('provenance', 'Provenance'), themeButton(restyle)));
  app.append(header, main);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', restyle);
  bindPrinting(() => plots?.makeAll(), restyle, (flat) => player?.draw(flat));
  const ready = () => { (window as any).ricochet = { report: data, clock, player, plots, seconds: performance.now() / 1000, ready: true }; };
  requestAnimationFrame(() => requestAnimationFrame(ready));
}

/** Paper is white: everything is drawn in light colors for printing. */
function bindPrinting(complete: () => void, restyle: () => void, redraw: (flat: boolean) => void): void {
  let before: string | undefined;
  const print = (on: boolean) => {
    if (on) {
      before = document.documentElement.dataset.theme;
      document.documentElement.dataset.theme = 'light';
      complete();
    } else if (before) document.documentElement.dataset.theme = before;
    else delete document.documentElement.dataset.theme;
    restyle();
    redraw(on);
  };
  window.addEventListener('beforeprint', () => print(true));
  window.addEventListener('afterprint', () => print(false));
}

build(report);
