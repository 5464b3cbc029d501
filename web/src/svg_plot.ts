// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A plot over time as SVG, for saving; drawn again from the data so that it is sharp at any size.
import { frame, padded, pixel } from './axes';
import { s, withUnit } from './dom';
import type { PlotSpec } from './plots';

export function svgOfPlot(spec: PlotSpec, range: [number, number] | null): SVGSVGElement {
  const n = spec.time.length;
  const [from, to] = range ?? [spec.time[0] ?? 0, spec.time[n - 1] ?? 1];
  const shown: (number | null)[] = spec.zero ? [0] : [];
  if (spec.band) shown.push(spec.band * 1.2, -spec.band * 1.2);
  for (const series of spec.series) for (let i = 0; i < n; ++i)
    if (spec.time[i] >= from && spec.time[i] <= to) shown.push(series.values[i]);
  const { svg, plot, x, y } = frame({ width: 760, height: 320, top: 46 }, { lo: from, hi: to > from ? to : from + 1, label: 't [s]' },
    { ...padded(shown, 0.08), label: withUnit(spec.title, spec.unit) }, spec.title, spec.title);
  if (spec.band)
    plot.append(s('rect', { x: x.from, width: x.to - x.from, y: pixel(y, spec.band), height: pixel(y, -spec.band) - pixel(y, spec.band), fill: 'var(--band)' }));
  const impacts = spec.impacts.filter((t) => t >= from && t <= to).slice(0, 400);
  plot.append(s('path', {
    d: impacts.map((t) => `M${pixel(x, t).toFixed(2)} ${y.to}V${y.from}`).join(''), stroke: 'var(--impact)', 'stroke-dasharray': '3 3', fill: 'none',
  }));
  spec.series.forEach((series, k) => {
    const color = `var(--${series.color})`;
    let d = '';
    let pen = false;
    for (let i = 0; i < n; ++i) {
      const v = series.values[i];
      if (v === null || Number.isNaN(v) || spec.time[i] < from || spec.time[i] > to) { if (series.mark === 'stems') pen = false; continue; }
      const [px, py] = [pixel(x, spec.time[i]).toFixed(2), pixel(y, v).toFixed(2)];
      if (series.mark === 'dots') d += `M${px} ${py}h0`;
      else if (series.mark === 'stems') d += `M${(Number(px) + 2 * (k - 1)).toFixed(2)} ${pixel(y, 0).toFixed(2)}V${py}`;
      else d += `${pen ? 'L' : 'M'}${px} ${py}`;
      pen = true;
    }
    plot.append(s('path', {
      d, fill: 'none', stroke: color, 'stroke-width': series.mark === 'dots' ? 4 : 1.8, 'stroke-linecap': series.mark === 'dots' ? 'round' : 'butt',
      'stroke-dasharray': series.mark === 'dashed' ? '6 4' : null,
    }));
    svg.append(s('path', { d: `M${x.from + 130 * k} 34h18`, stroke: color, 'stroke-width': 2, 'stroke-dasharray': series.mark === 'dots' ? '2 3' : null }),
      s('text', { x: x.from + 24 + 130 * k, y: 38, fill: 'var(--ink)' }, series.name));
  });
  return svg;
}
