// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Pictures that are not over time: parameters with intervals, correlation, optimization trace, cost maps, errors.
import { frame, padded, pixel, type Frame } from './axes';
import type { CostMap, Estimate, Evaluation, Parameter } from './data';
import { h, s, show, unitText, withUnit } from './dom';
import { figure } from './figure';

export const k95 = 1.959964;

/** Viridis, coarse: dark to light, readable by the color-blind and in gray. */
const kRamp = [[68, 1, 84], [65, 68, 135], [42, 120, 142], [34, 168, 132], [122, 209, 81], [253, 231, 37]];
export function ramp(x: number): string {
  const t = Math.min(Math.max(x, 0), 1) * (kRamp.length - 1);
  const i = Math.min(Math.floor(t), kRamp.length - 2);
  return `rgb(${kRamp[i].map((c, k) => Math.round(c + (t - i) * (kRamp[i + 1][k] - c))).join(',')})`;
}

/** Estimate with its interval beside the value it started from. */
export function intervalPicture(p: Parameter): SVGSVGElement | null {
  if (p.value === null || !p.identifiable) return null;
  const half = p.std === null ? 0 : k95 * p.std;
  const [lo, hi] = [p.value - half, p.value + half];
  const svg = s('svg', { viewBox: '0 0 240 44', class: 'interval', role: 'img',
    'aria-label': `Interval from ${show(lo, 4)} to ${show(hi, 4)}${p.start !== null ? `, guess ${show(p.start, 4)}` : ''}` });
  // The interval fills the middle; a guess outside is shown at the border with an arrow.
  const span = Math.max(half * 2, Math.abs(p.value) * 1e-9, 1e-300);
  const x = (v: number) => 120 + ((v - p.value!) / span) * 130;
  svg.append(s('path', { d: 'M6 18H234', stroke: 'var(--line)', 'stroke-width': 1 }));
  if (half > 0) svg.append(s('path', { d: `M${x(lo)} 18H${x(hi)}M${x(lo)} 12v12M${x(hi)} 12v12`, stroke: 'var(--fitted)', 'stroke-width': 2.5, fill: 'none' }));
  svg.append(s('circle', { cx: 120, cy: 18, r: 5, fill: 'var(--fitted)' }));
  if (p.start !== null && Number.isFinite(p.start)) {
    const at = x(p.start);
    const edge = Math.min(Math.max(at, 12), 228);
    svg.append(s('path', {
      d: at < 12 ? 'M16 13 8 18 16 23' : at > 228 ? 'M224 13 232 18 224 23' : `M${edge} 12 ${edge + 5} 18 ${edge} 24 ${edge - 5} 18z`,
      stroke: 'var(--recorded)', 'stroke-width': 2, fill: 'none',
    }));
    svg.append(s('text', { x: edge, y: 40, 'text-anchor': at < 60 ? 'start' : at > 180 ? 'end' : 'middle', class: 'tick' }, `guess ${show(p.start, 4)}`));
  }
  return svg;
}

export function correlationFigure(e: Estimate): HTMLElement | null {
  const used = e.parameters.map((_, i) => i).filter((i) => Number.isFinite(e.correlation[i * e.parameters.length + i]));
  if (used.length < 2) return null;
  const n = used.length;
  const at = (i: number, j: number) => e.correlation[used[i] * e.parameters.length + used[j]];
  const names = used.map((i) => e.parameters[i].path);
  const make = (): SVGSVGElement => {
    const cell = Math.min(64, Math.max(34, 340 / n));
    const left = Math.min(260, 14 + 6.2 * Math.max(...names.map((x) => x.length)));
    const [width, height] = [left + n * cell + 14, 14 + n * cell + 26];
    const svg = s('svg', { xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', class: 'chart',
      'aria-label': 'Correlation matrix of the parameters', 'font-family': 'system-ui, sans-serif', 'font-size': 11 },
      s('rect', { width, height, fill: 'var(--card)', class: 'back' }));
    for (let i = 0; i < n; ++i) {
      svg.append(s('text', { x: left - 8, y: 14 + (i + 0.5) * cell + 4, 'text-anchor': 'end', fill: 'var(--ink)' },
        names[i].length > 42 ? `${names[i].slice(0, 40)}…` : names[i], s('title', {}, names[i])));
      svg.append(s('text', { x: left + (i + 0.5) * cell, y: 14 + n * cell + 16, 'text-anchor': 'middle', fill: 'var(--muted)' }, i + 1));
      for (let j = 0; j < n; ++j) {
        const r = at(i, j);
        const strength = Number.isFinite(r) ? Math.abs(r) : 0;
        svg.append(s('rect', { x: left + j * cell + 1, y: 14 + i * cell + 1, width: cell - 2, height: cell - 2, rx: 4,
          fill: r >= 0 ? 'var(--positive)' : 'var(--negative)', 'fill-opacity': (0.06 + 0.84 * strength).toFixed(3) },
          s('title', {}, `${names[i]} with ${names[j]}: ${show(r, 3)}`)));
        svg.append(s('text', { x: left + (j + 0.5) * cell, y: 14 + (i + 0.5) * cell + 4, 'text-anchor': 'middle',
          fill: strength > 0.55 ? '#fff' : 'var(--ink)' }, Number.isFinite(r) ? r.toFixed(2).replace('-', '−') : '–'));
      }
    }
    return svg;
  };
  return figure({ title: 'Correlation of the estimates', svg: make,
    note: 'Near ±1: the data mainly determine a combination of the two parameters, not each separately.',
    csv: () => ({ header: ['', ...names], rows: names.map((name, i) => [name, ...names.map((_, j) => at(i, j))]) }) }, make());
}

/** Cost and step length over the iterations, stages side by side. */
export function traceFigures(e: Estimate): HTMLElement[] {
  const stages = e.trace.filter((stage) => stage.cost.length > 0);
  const total = stages.reduce((sum, stage) => sum + stage.cost.length, 0);
  if (total < 2) return [];
  const csv = () => {
    let iteration = 0;
    return {
      header: ['stage', 'iteration', 'cost', 'step'],
      rows: stages.flatMap((stage) => Array.from(stage.cost, (c, i) => [stage.name, iteration++, c, stage.step[i]])),
    };
  };
  const draw = (what: 'cost' | 'step', label: string): SVGSVGElement => {
    const all = stages.flatMap((stage) => Array.from(stage[what]).slice(what === 'step' ? 1 : 0)).filter((v) => Number.isFinite(v));
    const positive = all.filter((v) => v > 0);
    const log = positive.length > 1 && Math.max(...positive) / Math.min(...positive) > 20;
    const r = log ? { lo: Math.min(...positive) * 0.7, hi: Math.max(...positive) * 1.6, log: true } : padded(all);
    const f = frame({ width: 560, height: 270 }, { lo: -0.5, hi: total - 0.5, label: 'iteration' }, { ...r, label }, `${label} over the iterations`);
    let from = 0;
    let named = -Infinity;
    stages.forEach((stage, k) => {
      const points: [number, number][] = Array.from(stage[what], (v, i) =>
        [pixel(f.x, from + i), (what === 'step' && i === 0) || !Number.isFinite(v) || (log && !(v > 0)) ? NaN : pixel(f.y, v)]);
      const left = pixel(f.x, from - 0.5);
      if (k > 0) f.plot.append(s('path', { d: `M${left.toFixed(1)} ${f.y.from}V${f.y.to}`, stroke: 'var(--line)', 'stroke-dasharray': '2 3' }));
      if (left > named + 96) {
        named = left;
        f.plot.append(s('text', { x: left + 4, y: f.y.to + 11, fill: 'var(--muted)', 'font-size': 10 }, stage.name.length > 24 ? `…${stage.name.slice(-23)}` : stage.name));
      }
      f.plot.append(s('path', { d: lineOf(points), fill: 'none', stroke: 'var(--fitted)', 'stroke-width': 2, class: `trace-${what}` }, s('title', {}, stage.name)));
      if (total < 160) f.plot.append(s('path', { d: points.filter((p) => !Number.isNaN(p[1])).map(([x, y]) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`).join(''), stroke: 'var(--fitted)', 'stroke-width': 5, 'stroke-linecap': 'round' }));
      from += stage.cost.length;
    });
    return f.svg;
  };
  const one = (title: string, what: 'cost' | 'step', label: string, note: string) =>
    figure({ title, svg: () => draw(what, label), note, csv }, draw(what, label));
  return [
    one('Optimization trace: cost', 'cost', 'cost', 'The best fit. Stages between dotted lines fit more rows, other noise or another cost, so costs of different stages are not comparable. Within a stage the curve should fall and flatten out.'),
    one('Optimization trace: steps', 'step', 'step', 'Length of each step: in standard deviations of the noise for least squares; for a search without derivatives, as a fraction of its box, or in widths of its secants. Shrinking steps indicate a minimum.'),
  ];
}

/** Marching squares: line pieces of one level over a grid. */
function contour(xs: number[], ys: number[], z: (i: number, j: number) => number, level: number): [number, number, number, number][] {
  const out: [number, number, number, number][] = [];
  for (let i = 0; i + 1 < xs.length; ++i) for (let j = 0; j + 1 < ys.length; ++j) {
    const c = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
    const v = c.map(([a, b]) => z(a, b) - level);
    if (v.some((value) => !Number.isFinite(value))) continue;
    const cuts: [number, number][] = [];
    for (let k = 0; k < 4; ++k) {
      const m = (k + 1) % 4;
      if (v[k] < 0 === v[m] < 0) continue;
      const t = v[k] / (v[k] - v[m]);
      cuts.push([xs[c[k][0]] + t * (xs[c[m][0]] - xs[c[k][0]]), ys[c[k][1]] + t * (ys[c[m][1]] - ys[c[k][1]])]);
    }
    for (let k = 0; k + 1 < cuts.length; k += 2) out.push([...cuts[k], ...cuts[k + 1]]);
  }
  return out;
}

export function costMapFigure(map: CostMap): HTMLElement {
  const [a, b] = map.axes;
  const title = b ? `Cost map: ${map.title}, ${a.path} and ${b.path}` : `${map.title} over ${a.path}`;
  const header = [...map.axes.map((x) => withUnit(x.path, x.unit)), withUnit('cost', map.unit)];
  const rows = () => map.cost.map((c, k) => (b ? [a.values[Math.floor(k / b.values.length)], b.values[k % b.values.length], c] : [a.values[k], c]));
  if (!b) {
    const make = (): SVGSVGElement => {
      const f = frame({ width: 620, height: 320 }, { ...padded(a.values, 0.02), label: withUnit(a.path, a.unit) },
        { ...padded(map.cost), label: withUnit('', map.unit).trim() || map.title }, title);
      markInterval(f, a.lower, a.upper, true);
      f.plot.append(s('path', { d: lineOf(a.values.map((v, i) => [pixel(f.x, v), map.cost[i] === null ? NaN : pixel(f.y, map.cost[i]!)])),
        fill: 'none', stroke: 'var(--fitted)', 'stroke-width': 2 }));
      if (a.values.length < 60) f.plot.append(s('path', { d: a.values.map((v, i) => (map.cost[i] === null ? '' : `M${pixel(f.x, v).toFixed(1)} ${pixel(f.y, map.cost[i]!).toFixed(1)}h0`)).join(''), stroke: 'var(--fitted)', 'stroke-width': 6, 'stroke-linecap': 'round' }));
      const best = a.minimum ?? a.values[argmin(map.cost)];
      f.plot.append(s('path', { d: `M${pixel(f.x, best)} ${f.y.from}V${f.y.to}`, stroke: 'var(--slide)', 'stroke-width': 2 }));
      return f.svg;
    };
    return figure({ title, svg: make, csv: () => ({ header, rows: rows() }) }, make());
  }
  const z = (i: number, j: number): number => map.cost[i * b.values.length + j] ?? NaN;
  const finite = map.cost.filter((c): c is number => c !== null);
  const least = Math.min(...finite);
  const sorted = [...finite].sort((p, q) => p - q);
  const large = sorted[Math.floor(sorted.length * 0.98)] ?? 1;
  const level = (c: number) => Math.sqrt(Math.max(0, (c - least) / (large - least || 1)));
  const make = (): SVGSVGElement => {
    const half = (v: number[]) => (v.length > 1 ? (v[1] - v[0]) / 2 : 0.5);
    const endHalf = (v: number[]) => (v.length > 1 ? (v[v.length - 1] - v[v.length - 2]) / 2 : 0.5);
    const f = frame({ width: 620, height: 440, right: 92 },
      { lo: a.values[0] - half(a.values), hi: a.values[a.values.length - 1] + endHalf(a.values), label: withUnit(a.path, a.unit) },
      { lo: b.values[0] - half(b.values), hi: b.values[b.values.length - 1] + endHalf(b.values), label: withUnit(b.path, b.unit) }, title);
    const edges = (v: number[], lo: number, hi: number) => [lo, ...v.slice(1).map((x, i) => (x + v[i]) / 2), hi];
    const [xe, ye] = [edges(a.values, f.x.lo, f.x.hi), edges(b.values, f.y.lo, f.y.hi)];
    for (let i = 0; i < a.values.length; ++i) for (let j = 0; j < b.values.length; ++j) {
      const c = z(i, j);
      const [x0, x1, y0, y1] = [pixel(f.x, xe[i]), pixel(f.x, xe[i + 1]), pixel(f.y, ye[j]), pixel(f.y, ye[j + 1])];
      f.plot.append(s('rect', { x: x0.toFixed(1), y: y1.toFixed(1), width: (x1 - x0 + 0.6).toFixed(1), height: (y0 - y1 + 0.6).toFixed(1),
        fill: Number.isFinite(c) ? ramp(1 - level(c)) : 'var(--ground)' }));
    }
    for (let k = 1; k <= 8; ++k) {
      const value = least + (large - least) * (k / 9) ** 2;
      f.plot.append(s('path', { d: pieces(contour(a.values, b.values, z, value), f), stroke: '#fff', 'stroke-opacity': 0.55, 'stroke-width': 1, fill: 'none' }));
    }
    if (map.threshold !== null)
      f.plot.append(s('path', { d: pieces(contour(a.values, b.values, z, map.threshold), f), stroke: '#fff', 'stroke-width': 2.5, 'stroke-dasharray': '6 3', fill: 'none', class: 'threshold' }));
    const k = argmin(map.cost);
    const [mx, my] = [a.minimum ?? a.values[Math.floor(k / b.values.length)], b.minimum ?? b.values[k % b.values.length]];
    const [px, py] = [pixel(f.x, mx), pixel(f.y, my)];
    const bars: string[] = [];
    if (a.lower !== null && a.upper !== null) bars.push(`M${pixel(f.x, a.lower)} ${py}H${pixel(f.x, a.upper)}M${pixel(f.x, a.lower)} ${py - 5}v10M${pixel(f.x, a.upper)} ${py - 5}v10`);
    if (b.lower !== null && b.upper !== null) bars.push(`M${px} ${pixel(f.y, b.lower)}V${pixel(f.y, b.upper)}M${px - 5} ${pixel(f.y, b.lower)}h10M${px - 5} ${pixel(f.y, b.upper)}h10`);
    f.plot.append(s('path', { d: bars.join(''), stroke: '#d1105a', 'stroke-width': 2, fill: 'none' }),
      s('circle', { cx: px, cy: py, r: 5, fill: '#d1105a', stroke: '#fff', 'stroke-width': 1.5, class: 'minimum' }));
    for (let i = 0; i < 40; ++i) f.svg.append(s('rect', { x: 548, y: f.y.to + ((f.y.from - f.y.to) * i) / 40, width: 14, height: (f.y.from - f.y.to) / 40 + 0.6, fill: ramp(i / 39) }));
    f.svg.append(s('text', { x: 568, y: f.y.to + 9, fill: 'var(--muted)' }, show(large, 3)), s('text', { x: 568, y: f.y.from, fill: 'var(--muted)' }, show(least, 3)));
    return f.svg;
  };
  const readout = h('output', { class: 'readout' }, ' ');
  const svg = make();
  svg.addEventListener('pointermove', (e) => {
    const box = svg.getBoundingClientRect();
    const [left, right, top, bottom] = [62, 620 - 92, 12, 440 - 42];
    const [u, v] = [((e.clientX - box.left) * 620) / box.width, ((e.clientY - box.top) * 440) / box.height];
    const i = Math.min(a.values.length - 1, Math.max(0, Math.floor(((u - left) / (right - left)) * a.values.length)));
    const j = Math.min(b.values.length - 1, Math.max(0, Math.floor(((bottom - v) / (bottom - top)) * b.values.length)));
    readout.textContent = `${a.path} ${show(a.values[i], 4)} ${unitText(a.unit)}, ${b.path} ${show(b.values[j], 4)} ${unitText(b.unit)}: cost ${show(z(i, j), 4)} ${unitText(map.unit)}`;
  });
  return figure({ title, svg: make, csv: () => ({ header, rows: rows() }),
    note: `Bright is low cost. The dot is the minimum; its bars span the values of each parameter that the data do not distinguish from it (95 %).${map.threshold !== null ? ' The dashed line bounds the joint 95 % region.' : ''}` }, svg, readout);
}

const argmin = (values: (number | null)[]): number =>
  values.reduce<number>((best, v, i) => (v !== null && (values[best] === null || v < values[best]!) ? i : best), 0);

export function lineOf(points: [number, number][]): string {
  let d = '';
  let pen = false;
  for (const [x, y] of points) {
    if (Number.isNaN(y)) { pen = false; continue; }
    d += `${pen ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`;
    pen = true;
  }
  return d;
}

const pieces = (list: [number, number, number, number][], f: Frame): string =>
  list.map(([x0, y0, x1, y1]) => `M${pixel(f.x, x0).toFixed(1)} ${pixel(f.y, y0).toFixed(1)}L${pixel(f.x, x1).toFixed(1)} ${pixel(f.y, y1).toFixed(1)}`).join('');

function markInterval(f: Frame, lower: number | null, upper: number | null, vertical: boolean): void {
  if (lower === null || upper === null || !vertical) return;
  f.plot.append(s('rect', { x: pixel(f.x, lower), width: Math.max(1, pixel(f.x, upper) - pixel(f.x, lower)), y: f.y.to, height: f.y.from - f.y.to, fill: 'var(--band)' }));
}

const kModelColors = ['var(--fitted)', 'var(--slide)', 'var(--recorded)', 'var(--body-3)', 'var(--body-4)', 'var(--body-5)'];
export const kMarkers = ['M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0', 'M-4-4h8v8h-8z', 'M0-5 5 4H-5z', 'M0-5 5 0 0 5-5 0z', 'M-4-4 4 4M-4 4 4-4', 'M0-5V5M-5 0H5'];

export function errorFigures(evaluation: Evaluation): HTMLElement[] {
  const { metrics, models, recordings } = evaluation.errors;
  return metrics.map((metric, m) => {
    const all = models.flatMap((model) => model.values[m]);
    const make = (): SVGSVGElement => {
      const f = frame({ width: 560, height: 270, top: 30 }, { lo: 0.3, hi: recordings.length + 0.7, label: 'recording' },
        { lo: Math.min(0, padded(all).lo), hi: padded([...all, 0]).hi, label: withUnit('', metric.unit).trim() }, `${metric.name} per recording`);
      models.forEach((model, k) => {
        const values = model.values[m];
        const finite = values.filter((v): v is number => v !== null);
        const mean = finite.reduce((sum, v) => sum + v, 0) / finite.length;
        if (finite.length) f.plot.append(s('path', { d: `M${f.x.from} ${pixel(f.y, mean)}H${f.x.to}`, stroke: kModelColors[k % 6], 'stroke-dasharray': '6 4' }));
        values.forEach((v, i) => {
          if (v === null) return;
          f.plot.append(s('path', { d: kMarkers[k % 6], transform: `translate(${pixel(f.x, i + 1).toFixed(1)} ${pixel(f.y, v).toFixed(1)})`,
            fill: kModelColors[k % 6], 'fill-opacity': 0.7, stroke: kModelColors[k % 6], class: 'point' }, s('title', {}, `${recordings[i]}: ${show(v, 4)} ${unitText(metric.unit)}`)));
        });
        f.svg.append(s('path', { d: kMarkers[k % 6], transform: `translate(${f.x.from + 8 + 180 * k} 16)`, fill: kModelColors[k % 6], stroke: kModelColors[k % 6] }),
          s('text', { x: f.x.from + 18 + 180 * k, y: 20, fill: 'var(--ink)' }, `${model.name.length > 18 ? `…${model.name.slice(-17)}` : model.name}, mean ${show(mean, 3)}`));
      });
      return f.svg;
    };
    return figure({ title: withUnit(metric.name, metric.unit), svg: make,
      csv: () => ({ header: ['recording', ...models.map((x) => x.name)], rows: recordings.map((name, i) => [name, ...models.map((x) => x.values[m][i])]) }) }, make());
  });
}
