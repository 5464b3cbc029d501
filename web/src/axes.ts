// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Axes for pictures in SVG.
import { s, show } from './dom';

export interface Axis { lo: number; hi: number; from: number; to: number; log?: boolean }

export const pixel = (a: Axis, x: number): number => {
  const f = (v: number) => (a.log ? Math.log10(v) : v);
  return a.from + ((f(x) - f(a.lo)) / (f(a.hi) - f(a.lo) || 1)) * (a.to - a.from);
};

export function ticks(a: Axis, count = 6): number[] {
  const out: number[] = [];
  if (a.log) {
    for (let d = Math.ceil(Math.log10(a.lo) - 1e-9); d <= Math.log10(a.hi) + 1e-9; ++d) out.push(10 ** d);
    if (out.length >= 2) return out.filter((_, i) => i % Math.ceil(out.length / 8) === 0);
    out.length = 0;
  }
  const raw = (a.hi - a.lo) / count;
  if (!(raw > 0)) return [a.lo];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= raw * 0.999) ?? 10);
  for (let k = Math.ceil(a.lo / step - 1e-9); k * step <= a.hi + step * 1e-9; ++k) out.push(k * step);
  return out;
}

export interface Frame { svg: SVGSVGElement; plot: SVGGElement; x: Axis; y: Axis; width: number; height: number }

/** An empty picture with axes; `plot` is clipped to them. */
export function frame(size: { width: number; height: number; left?: number; bottom?: number; right?: number; top?: number },
  xr: { lo: number; hi: number; log?: boolean; label: string }, yr: { lo: number; hi: number; log?: boolean; label: string },
  description: string, title = ''): Frame {
  const { width, height } = size;
  const [left, bottom, right] = [size.left ?? 62, size.bottom ?? 42, size.right ?? 14];
  const top = size.top ?? (title ? 28 : 12);
  const x: Axis = { ...xr, from: left, to: width - right };
  const y: Axis = { ...yr, from: height - bottom, to: top };
  const id = `c${Math.random().toString(36).slice(2)}`;
  const svg = s('svg', {
    xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': description,
    'font-family': 'system-ui, sans-serif', 'font-size': 11, class: 'chart',
  }, s('rect', { width, height, fill: 'var(--card)', class: 'back' }));
  svg.append(s('clipPath', { id }, s('rect', { x: left, y: top, width: x.to - left, height: y.from - top })));
  const grid = s('g', { stroke: 'var(--plot-grid)', fill: 'none' });
  const labels = s('g', { fill: 'var(--muted)' });
  for (const t of ticks(x, Math.max(3, Math.floor((x.to - left) / 80)))) {
    grid.append(s('path', { d: `M${pixel(x, t).toFixed(1)} ${top}V${y.from}` }));
    labels.append(s('text', { x: pixel(x, t).toFixed(1), y: y.from + 15, 'text-anchor': 'middle' }, show(t, 4)));
  }
  for (const t of ticks(y, Math.max(3, Math.floor((y.from - top) / 44)))) {
    grid.append(s('path', { d: `M${left} ${pixel(y, t).toFixed(1)}H${x.to}` }));
    labels.append(s('text', { x: left - 6, y: (pixel(y, t) + 4).toFixed(1), 'text-anchor': 'end' }, show(t, 4)));
  }
  labels.append(s('text', { x: (left + x.to) / 2, y: height - 6, 'text-anchor': 'middle' }, xr.label));
  labels.append(s('text', { transform: `translate(12 ${(top + y.from) / 2}) rotate(-90)`, 'text-anchor': 'middle' }, yr.label));
  if (title) labels.append(s('text', { x: left, y: 16, fill: 'var(--ink)', 'font-weight': 600, 'font-size': 13 }, title));
  const plot = s('g', { 'clip-path': `url(#${id})` });
  svg.append(grid, plot, labels);
  return { svg, plot, x, y, width, height };
}

/** Room round values; positive for a logarithmic axis. */
export function padded(values: Iterable<number | null>, share = 0.06): { lo: number; hi: number } {
  let [lo, hi] = [Infinity, -Infinity];
  for (const v of values) if (v !== null && Number.isFinite(v)) { lo = Math.min(lo, v); hi = Math.max(hi, v); }
  if (!(lo <= hi)) return { lo: 0, hi: 1 };
  const margin = (hi - lo) * share || Math.abs(hi) * 0.1 || 1e-3;
  return { lo: lo - margin, hi: hi + margin };
}
