// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Where bodies come to rest, seen from above: measured, predicted, over a number; which face is up; whether what was stated
// holds.
import { frame, padded, pixel, type Frame } from './axes';
import { k95, kMarkers, lineOf, ramp } from './charts';
import type { Evaluation, Fan, Rest, RestPose } from './data';
import { given, h, s, show, unitText, withUnit } from './dom';
import { figure } from './figure';
import { table } from './tables';

type Footprint = [number, number][];

/** Corners of a body at rest; its position where nothing else is known. */
function corners(footprint: Footprint, pose: RestPose): Footprint {
  if (pose.outline && pose.outline.length > 2) return pose.outline;
  if (footprint.length < 3) return [[pose.x, pose.y]];
  const [c, n] = [Math.cos(pose.yaw), Math.sin(pose.yaw)];
  return footprint.map(([x, y]) => [pose.x + c * x - n * y, pose.y + n * x + c * y]);
}

const closed = (points: Footprint, f: Frame): string => `M${points.map(([x, y]) => `${pixel(f.x, x).toFixed(1)} ${pixel(f.y, y).toFixed(1)}`).join('L')}Z`;

/** The outline of a body at rest; a cross where only its position is known. */
function footprintPath(footprint: Footprint, pose: RestPose, f: Frame): string {
  const points = corners(footprint, pose);
  if (points.length > 2) return closed(points, f);
  const [x, y] = [pixel(f.x, pose.x), pixel(f.y, pose.y)];
  return `M${(x - 5).toFixed(1)} ${y.toFixed(1)}h10M${x.toFixed(1)} ${(y - 5).toFixed(1)}v10`;
}

/** Everything in these points, seen from above with the same scale on both axes. */
function fromAbove(points: Footprint, description: string, width = 620): Frame {
  const [xr, yr] = [padded(points.map((p) => p[0]), 0.08), padded(points.map((p) => p[1]), 0.08)];
  const span = [xr.hi - xr.lo, yr.hi - yr.lo];
  const height = Math.min(620, Math.max(260, ((width - 76) * span[1]) / span[0] + 54));
  const scale = Math.max(span[0] / (width - 76), span[1] / (height - 54));
  const [cx, cy] = [(xr.lo + xr.hi) / 2, (yr.lo + yr.hi) / 2];
  const [hx, hy] = [(scale * (width - 76)) / 2, (scale * (height - 54)) / 2];
  return frame({ width, height }, { lo: cx - hx, hi: cx + hx, label: 'x [m]' }, { lo: cy - hy, hi: cy + hy, label: 'y [m]' }, description);
}

/** The border of the region of a prediction; empty where there is none. */
function regionOf(rest: Rest): Footprint {
  if (!rest.covariance || !rest.predicted) return [];
  const [xx, xy, yy] = rest.covariance;
  const mean = (xx + yy) / 2;
  const root = Math.hypot((xx - yy) / 2, xy);
  const [l1, l2] = [mean + root, mean - root];
  if (!(l1 > 0) || !(l2 >= 0)) return [];
  const angle = Math.atan2(2 * xy, xx - yy) / 2;
  return Array.from({ length: 48 }, (_, i) => {
    const u = (i * Math.PI) / 24;
    const [a, b] = [Math.sqrt(rest.region * l1) * Math.cos(u), Math.sqrt(rest.region * l2) * Math.sin(u)];
    return [rest.predicted!.x + a * Math.cos(angle) - b * Math.sin(angle), rest.predicted!.y + a * Math.sin(angle) + b * Math.cos(angle)];
  });
}

const kPanels = 6;  // recordings whose rest poses are drawn one by one

/** Rest poses of all recordings together, and some of them one by one. */
export function restFigures(evaluation: Evaluation): HTMLElement[] {
  const rests = evaluation.rest.filter((r) => r.measured || r.predicted);
  if (rests.length === 0) return [];
  const percent = Math.round(100 * evaluation.level);
  const header = ['recording', 'measured x [m]', 'measured y [m]', 'measured yaw [rad]', 'predicted x [m]', 'predicted y [m]', 'predicted yaw [rad]', 'xx [m^2]', 'xy [m^2]', 'yy [m^2]', 'region', 'face correct'];
  const row = (r: Rest) => [r.recording, r.measured?.x ?? null, r.measured?.y ?? null, r.measured?.yaw ?? null, r.predicted?.x ?? null, r.predicted?.y ?? null,
    r.predicted?.yaw ?? null, ...(r.covariance ?? [null, null, null]), r.region, r.face_correct ? 'yes' : 'no'];
  const paint = (f: Frame, rest: Rest): void => {
    const group = s('g', { class: 'rest' }, s('title', {}, rest.recording));
    const region = regionOf(rest);
    if (region.length) group.append(s('path', { d: closed(region, f), fill: 'var(--band)', stroke: 'var(--fitted)', 'stroke-opacity': 0.5, class: 'region' }));
    if (rest.measured && rest.predicted)
      group.append(s('path', { d: `M${pixel(f.x, rest.measured.x)} ${pixel(f.y, rest.measured.y)}L${pixel(f.x, rest.predicted.x)} ${pixel(f.y, rest.predicted.y)}`, stroke: 'var(--muted)' }));
    if (rest.measured) group.append(s('path', { d: footprintPath(evaluation.footprint, rest.measured, f), fill: 'var(--recorded)', 'fill-opacity': 0.1, stroke: 'var(--recorded)', 'stroke-width': 1.8, 'stroke-dasharray': '5 3', class: 'measured' }));
    if (rest.predicted) group.append(s('path', { d: footprintPath(evaluation.footprint, rest.predicted, f), fill: 'var(--fitted)', 'fill-opacity': 0.16,
      stroke: rest.face_correct ? 'var(--fitted)' : 'var(--bad)', 'stroke-width': rest.face_correct ? 1.8 : 3, class: 'predicted' }));
    f.plot.append(group);
  };
  const drawn = (list: Rest[]): Footprint => list.flatMap((r) =>
    [...[r.measured, r.predicted].filter((p): p is RestPose => p !== null).flatMap((p) => corners(evaluation.footprint, p)), ...regionOf(r)]);
  const note = `Dashed: the measured rest pose. Filled: the predicted one with its ${percent} % region; a line joins the two. A thick outline: another face was up.`;
  const single = (rest: Rest, index: number): HTMLElement => {
    const make = (): SVGSVGElement => {
      const f = fromAbove(drawn([rest]), `Rest pose of ${rest.recording} seen from above`, 380);
      paint(f, rest);
      return f.svg;
    };
    return figure({ title: `${index + 1}: ${rest.recording}`, svg: make, compact: true, csv: () => ({ header, rows: [row(rest)] }) }, make());
  };
  const errors: HTMLElement[] = [];
  const both = rests.filter((r) => r.measured && r.predicted);
  if (both.length > 1) {
    const offsets = both.map((r): [number, number] => [r.measured!.x - r.predicted!.x, r.measured!.y - r.predicted!.y]);
    const make = (): SVGSVGElement => {
      const first = both.find((r) => r.covariance);
      const region = first ? regionOf({ ...first, predicted: { x: 0, y: 0, yaw: 0 } }) : [];
      const f = fromAbove([[0, 0], ...offsets, ...region], 'Measured minus predicted rest position', 460);
      if (region.length) f.plot.append(s('path', { d: closed(region, f), fill: 'var(--band)', stroke: 'var(--fitted)', 'stroke-opacity': 0.5 }));
      f.plot.append(s('path', { d: `M${pixel(f.x, 0)} ${f.y.from}V${f.y.to}M${f.x.from} ${pixel(f.y, 0)}H${f.x.to}`, stroke: 'var(--muted)' }));
      offsets.forEach(([x, y], i) => f.plot.append(s('path', { d: both[i].face_correct ? kMarkers[0] : kMarkers[4], transform: `translate(${pixel(f.x, x).toFixed(1)} ${pixel(f.y, y).toFixed(1)})`,
        fill: both[i].face_correct ? 'var(--fitted)' : 'none', 'fill-opacity': 0.7, stroke: both[i].face_correct ? 'var(--fitted)' : 'var(--bad)', 'stroke-width': 1.4, class: 'offset' },
        s('title', {}, `${both[i].recording}: ${show(1e3 * x, 3)}, ${show(1e3 * y, 3)} mm`))));
      return f.svg;
    };
    errors.push(figure({ title: 'Rest position: measured minus predicted', svg: make, note: 'Dots centered on the cross: no bias. Crosses: the predicted face was wrong.',
      csv: () => ({ header: ['recording', 'dx [m]', 'dy [m]', 'face correct'], rows: both.map((r, i) => [r.recording, ...offsets[i], r.face_correct ? 'yes' : 'no']) }) }, make()));
  }
  const makeAll = (): SVGSVGElement => {
    const f = fromAbove(drawn(rests), 'Rest poses seen from above');
    for (const rest of rests) paint(f, rest);
    return f.svg;
  };
  const shown = both.slice(0, kPanels);
  return [
    ...(rests.length <= 40 ? [figure({ title: 'Rest poses from above', svg: makeAll, note, csv: () => ({ header, rows: rests.map(row) }) }, makeAll())]
      : [table({ title: 'Rest poses', note: `${note} The first ${shown.length} are drawn below.`, columns: header.map((name) => ({ name, unit: '' })), rows: rests.map(row) })]),
    ...errors,
    ...(rests.length > 1 ? [h('div', { class: 'figures small' }, ...shown.map(single))] : []),
  ];
}

export function fanFigure(fan: Fan, footprint: Footprint): HTMLElement {
  const [lo, hi] = [Math.min(...fan.values), Math.max(...fan.values)];
  const make = (): SVGSVGElement => {
    const f = fromAbove((fan.measured ? [...fan.poses, fan.measured] : fan.poses).flatMap((p) => corners(footprint, p)), `Rest poses over ${fan.path}`);
    fan.poses.forEach((pose, i) => {
      const color = ramp(hi > lo ? (fan.values[i] - lo) / (hi - lo) : 0.5);
      f.plot.append(s('path', { d: footprintPath(footprint, pose, f), fill: color, 'fill-opacity': 0.12, stroke: color, 'stroke-width': 1.6, class: 'fan' },
        s('title', {}, `${fan.path} = ${show(fan.values[i], 4)} ${unitText(fan.unit)}`)));
    });
    f.plot.append(s('path', { d: lineOf(fan.poses.map((p) => [pixel(f.x, p.x), pixel(f.y, p.y)])), fill: 'none', stroke: 'var(--ink)', 'stroke-width': 1.4 }));
    if (fan.measured) f.plot.append(s('path', { d: footprintPath(footprint, fan.measured, f), fill: 'none', stroke: 'var(--recorded)', 'stroke-width': 2, 'stroke-dasharray': '5 3' }));
    for (let i = 0; i < 40; ++i) f.svg.append(s('rect', { x: f.x.to - 150 + i * 3, y: f.y.to + 8, width: 3.4, height: 9, fill: ramp(i / 39) }));
    f.svg.append(s('text', { x: f.x.to - 150, y: f.y.to + 30, fill: 'var(--ink)' }, show(lo, 3)), s('text', { x: f.x.to - 30, y: f.y.to + 30, 'text-anchor': 'end', fill: 'var(--ink)' }, show(hi, 3)));
    return f.svg;
  };
  return figure({ title: `${fan.recording ? `${fan.recording}: r` : 'R'}est pose over ${withUnit(fan.path, fan.unit)}`, svg: make,
    note: 'Where the body comes to rest as one parameter changes. A long fan means that the rest pose is informative about the parameter.',
    csv: () => ({ header: [withUnit(fan.path, fan.unit), 'x', 'y', 'yaw'], rows: fan.poses.map((p, i) => [fan.values[i], p.x, p.y, p.yaw]) }) }, make());
}

/** How likely each face is to be up, per recording. */
export function faceFigure(evaluation: Evaluation): HTMLElement | null {
  const list = evaluation.faces;
  if (list.length === 0) return null;
  const names = [...new Set(list.flatMap((x) => x.faces))].sort();
  const rows = list.slice(0, 60);
  const value = (f: { faces: string[]; probabilities: number[] }, name: string) => f.probabilities[f.faces.indexOf(name)] ?? 0;
  const make = (): SVGSVGElement => {
    const [left, cell, line] = [190, Math.max(46, Math.min(76, 420 / names.length)), 20];
    const [width, height] = [left + names.length * cell + 16, 34 + rows.length * line + 8];
    const svg = s('svg', { xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', class: 'chart',
      'aria-label': 'Probability that each face is up', 'font-family': 'system-ui, sans-serif', 'font-size': 11 }, s('rect', { width, height, fill: 'var(--card)', class: 'back' }));
    names.forEach((name, k) => svg.append(s('text', { x: left + (k + 0.5) * cell, y: 22, 'text-anchor': 'middle', fill: 'var(--muted)' }, name)));
    rows.forEach((forecast, i) => {
      const y = 34 + i * line;
      const label = forecast.recording.length > 28 ? `…${forecast.recording.slice(-27)}` : forecast.recording;
      svg.append(s('text', { x: left - 8, y: y + 14, 'text-anchor': 'end', fill: 'var(--ink)' }, label, s('title', {}, forecast.recording)));
      names.forEach((name, k) => {
        const p = value(forecast, name);
        svg.append(s('rect', { x: left + k * cell + 1, y: y + 1, width: cell - 2, height: line - 2, fill: 'var(--fitted)', 'fill-opacity': (0.04 + 0.8 * p).toFixed(3), class: 'face' },
          s('title', {}, `${forecast.recording}: ${name} up with ${show(100 * p, 3)} %`)));
        svg.append(s('text', { x: left + (k + 0.5) * cell, y: y + 14, 'text-anchor': 'middle', fill: p > 0.55 ? '#fff' : 'var(--ink)' }, p > 0.004 ? `${Math.round(100 * p)} %` : '–'));
        if (forecast.measured === name) svg.append(s('rect', { x: left + k * cell + 2, y: y + 2, width: cell - 4, height: line - 4, fill: 'none', stroke: 'var(--recorded)', 'stroke-width': 2, 'stroke-dasharray': '4 2', class: 'face-measured' }));
      });
    });
    return svg;
  };
  return figure({ title: 'Which face is up', svg: make, note: `Probability of each face; a dashed frame marks the one that was up.${list.length > rows.length ? ` The first ${rows.length} recordings are drawn; the CSV has all.` : ''}`,
    csv: () => ({ header: ['recording', ...names, 'measured'], rows: list.map((x) => [x.recording, ...names.map((n) => value(x, n)), x.measured]) }) }, make());
}

/** What was stated against what was found on recordings held out. */
export function calibrationFigure(evaluation: Evaluation): HTMLElement | null {
  const bins: { label: string; stated: number; found: number; count: number }[] = evaluation.checks.map((c) => ({ label: c.what, stated: c.stated, found: c.found, count: c.count }));
  const known = evaluation.faces.filter((f) => f.measured !== '');
  const all = known.flatMap((f) => f.faces.map((name, i) => [f.probabilities[i], name === f.measured ? 1 : 0]));
  for (let k = 0; k < 5; ++k) {
    const inside = all.filter(([p]) => p > 0 && p >= k / 5 && (p < (k + 1) / 5 || k === 4));
    if (inside.length < 5) continue;
    const mean = (i: number) => inside.reduce((sum, x) => sum + x[i], 0) / inside.length;
    bins.push({ label: `faces given ${20 * k} to ${20 * (k + 1)} %`, stated: mean(0), found: mean(1), count: inside.length });
  }
  if (bins.length === 0) return null;
  const make = (): SVGSVGElement => {
    const f = frame({ width: 420, height: 360 }, { lo: 0, hi: 1, label: 'stated probability' }, { lo: 0, hi: 1.02, label: 'found frequency' }, 'Calibration: observed against stated');
    f.plot.append(s('path', { d: `M${pixel(f.x, 0)} ${pixel(f.y, 0)}L${pixel(f.x, 1)} ${pixel(f.y, 1)}`, stroke: 'var(--muted)', 'stroke-dasharray': '5 4' }));
    bins.forEach((bin, i) => {
      // Wilson's interval, 95 %.
      const [n, z] = [Math.max(1, bin.count), k95];
      const middle = (bin.found + (z * z) / (2 * n)) / (1 + (z * z) / n);
      const half = (z / (1 + (z * z) / n)) * Math.sqrt((bin.found * (1 - bin.found)) / n + (z * z) / (4 * n * n));
      const x = pixel(f.x, bin.stated);
      const region = i < evaluation.checks.length;
      const color = region ? 'var(--slide)' : 'var(--fitted)';
      f.plot.append(s('path', { d: `M${x} ${pixel(f.y, middle - half)}V${pixel(f.y, middle + half)}`, stroke: color, 'stroke-width': 1.6 }),
        s('path', { d: kMarkers[region ? 1 : 0], transform: `translate(${x.toFixed(1)} ${pixel(f.y, bin.found).toFixed(1)})`, fill: color, stroke: color, class: 'calibration' },
          s('title', {}, `${bin.label}: stated ${show(bin.stated, 3)}, found ${show(bin.found, 3)} of ${bin.count}`)));
    });
    return f.svg;
  };
  return figure({ title: 'Calibration', svg: make, note: 'On the dashed line, stated probabilities match observed frequencies. Squares: held-out recordings; dots: face probabilities; bars: 95 % interval from the number of cases.',
    csv: () => ({ header: ['check', 'stated', 'found', 'count'], rows: bins.map((b) => [b.label, b.stated, b.found, b.count]) }) }, make(),
    h('ul', { class: 'plain' }, ...evaluation.checks.map((c) => h('li', {}, given(`${c.what}: stated ${show(100 * c.stated, 3)} %, found ${show(100 * c.found, 3)} % of ${c.count}`)))));
}
