// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Plots over time (uPlot): recorded against fitted with residuals under them, velocities, impulses, energy. All share one
// cursor and one zoom, impacts are marked, and a click moves the playback.
import uPlot from 'uplot';
import type { Clock } from './clock';
import type { Channel, Contact, Group, Motion, Numbers, Report, Track } from './data';
import { h, show, withUnit } from './dom';
import { figure } from './figure';
import { svgOfPlot } from './svg_plot';

export type Mark = 'line' | 'dots' | 'dashed' | 'stems';
export interface Series { name: string; color: string; mark: Mark; values: (number | null)[] | Numbers; width?: number }
export interface PlotSpec {
  id: string; title: string; unit: string; time: Numbers | number[]; series: Series[]; impacts: number[];
  band?: number;      // residuals: two standard deviations of the noise
  compact?: boolean;  // a residual under its channel
  zero?: boolean;
}

const kWrap = 2 * Math.PI;
const wrap = (x: number): number => x - kWrap * Math.round(x / kWrap);

/** Values of a channel at other times: where times agree, the value itself; null elsewhere. */
function alignTo(time: Numbers, track: Track, channel: Channel): (number | null)[] | Numbers {
  if (track.time === time) return channel.values;
  const out: (number | null)[] = [];
  let k = 0;
  for (let i = 0; i < time.length; ++i) {
    while (k < track.time.length && track.time[k] < time[i] - 1e-9) ++k;
    out.push(k < track.time.length && Math.abs(track.time[k] - time[i]) <= 1e-9 ? channel.values[k] : null);
  }
  return out;
}

function union(tracks: Track[]): Numbers {
  if (tracks.length === 1) return tracks[0].time;
  const all = new Set<number>();
  for (const track of tracks) for (const t of track.time) all.add(t);
  return Float64Array.from(all).sort();
}

const kGroupTitles: Record<Group, string> = {
  pose: 'Position and orientation', joint: 'Joints', velocity: 'Velocities', energy: 'Energy', placed: '', input: 'Inputs', other: 'Other columns',
};

export interface PlotGroup { title: string; note: string; specs: PlotSpec[] }

/** All plots of one motion. */
export function specsOf(motion: Motion, pairs: string[]): PlotGroup[] {
  const impacts = motion.impacts.map((c) => c.time);
  const main = motion.tracks.find((t) => t.kind !== 'recorded');
  const recorded = motion.tracks.find((t) => t.kind === 'recorded');
  const time = motion.tracks.length ? union(motion.tracks) : new Float64Array();
  const color = (kind: Track['kind']) => (kind === 'recorded' && main ? 'recorded' : 'fitted');
  const groups: PlotGroup[] = [];
  for (const group of ['pose', 'joint', 'velocity', 'input', 'other'] as Group[]) {
    const names = [...new Set(motion.tracks.flatMap((t) => t.channels.filter((c) => c.group === group).map((c) => c.name)))];
    const specs: PlotSpec[] = [];
    for (const name of names) {
      const found = motion.tracks.flatMap((track) => track.channels.filter((c) => c.name === name).map((channel) => ({ track, channel })));
      const { unit, angle } = found[0].channel;
      const series: Series[] = found.map(({ track, channel }) => ({
        name: track.kind, color: color(track.kind), mark: track.kind === 'recorded' && main ? 'dots' : 'line',
        values: alignTo(time, track, channel),
      }));
      const a = recorded?.channels.find((c) => c.name === name);
      const b = main?.channels.find((c) => c.name === name);
      const observed = group === 'pose' || group === 'joint';
      // A wrapped recording is drawn on the turn of the fitted angle.
      if (angle && a && b && recorded && main) {
        const fit = alignTo(time, main, b);
        const at = found.findIndex((f) => f.track === recorded);
        series[at].values = Array.from(series[at].values, (v, i) =>
          v === null || fit[i] === null || fit[i] === undefined ? v : fit[i]! + wrap(v - fit[i]!));
      }
      specs.push({ id: `${group}:${name}`, title: name, unit, time, series, impacts });
      if (observed && a && b && recorded && main) {
        const fit = alignTo(recorded.time, main, b);
        const residual = Array.from(a.values, (v, i) => {
          const f = fit[i];
          if (f === null || f === undefined || Number.isNaN(v)) return null;
          return angle ? wrap(v - f) : v - f;
        });
        const sigma = unit === 'm' ? motion.noisePosition : unit === 'rad' ? motion.noiseAngle : null;
        specs.push({
          id: `residual:${name}`, title: `${name}, recorded − ${main.kind}`, unit, time: recorded.time, impacts, compact: true, zero: true,
          band: sigma ? 2 * sigma : undefined, series: [{ name: 'residual', color: 'recorded', mark: 'dots', values: residual }],
        });
      }
    }
    const note = group === 'velocity' && recorded && main && !recorded.channels.some((c) => c.group === 'velocity' && c.values === main.channels.find((m) => m.name === c.name)?.values)
      ? 'Where the recording has no velocities, they are differences of neighboring frames.' : '';
    if (specs.length) groups.push({ title: kGroupTitles[group], note, specs });
  }
  const impulses = impulseSpecs(motion, pairs, impacts);
  if (impulses.length) groups.push({ title: 'Contact impulses', note: 'Every contact, per impact or per step of the simulation.', specs: impulses });
  const energy = energySpecs(motion, impacts);
  if (energy.length) groups.push({ title: 'Energy', note: 'Friction and impacts can only dissipate energy; motors and running conveyors can supply it.', specs: energy });
  return groups;
}

function impulseSpecs(motion: Motion, pairs: string[], impacts: number[]): PlotSpec[] {
  const byPair = new Map<number, Contact[]>();
  for (const contact of motion.contacts) byPair.set(contact.pair, [...(byPair.get(contact.pair) ?? []), contact]);
  if (motion.contacts.length > 3000) {  // gather without copying over and over
    byPair.clear();
    for (const contact of motion.contacts) {
      const list = byPair.get(contact.pair);
      if (list) list.push(contact);
      else byPair.set(contact.pair, [contact]);
    }
  }
  const specs: PlotSpec[] = [];
  for (const [pair, contacts] of byPair) {
    contacts.sort((a, b) => a.time - b.time);
    const spatial = contacts.some((c) => c.tangential[1] !== 0);
    const series: Series[] = [
      { name: 'normal', color: 'stick', mark: 'stems', values: contacts.map((c) => c.normal) },
      { name: spatial ? 'tangential x' : 'tangential', color: 'slide', mark: 'stems', values: contacts.map((c) => c.tangential[0]) },
    ];
    if (spatial) series.push({ name: 'tangential y', color: 'fitted', mark: 'stems', values: contacts.map((c) => c.tangential[1]) });
    specs.push({ id: `impulse:${pairs[pair]}`, title: `${pairs[pair]}`, unit: 'N s', time: contacts.map((c) => c.time), series, impacts, zero: true });
  }
  return specs;
}

function energySpecs(motion: Motion, impacts: number[]): PlotSpec[] {
  const specs: PlotSpec[] = [];
  for (const track of motion.tracks) {
    const channels = track.channels.filter((c) => c.group === 'energy');
    if (channels.length !== 2) continue;
    const total = Float64Array.from(channels[0].values, (v, i) => v + channels[1].values[i]);
    specs.push({
      id: `energy:${track.kind}`, title: `Energy, ${track.kind}`, unit: 'J', time: track.time, impacts,
      series: [
        { name: 'kinetic', color: 'fitted', mark: 'line', values: channels[0].values },
        { name: 'potential', color: 'recorded', mark: 'line', values: channels[1].values },
        { name: 'total', color: 'ink', mark: 'dashed', values: total },
      ],
    });
  }
  return specs;
}

const colorOf = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

interface Drawn { spec: PlotSpec; plot: uPlot | null; host: HTMLElement; head: HTMLElement; playhead: HTMLElement | null; value: HTMLElement[]; x: number }

/** The plots of the chosen motion; made when they come into sight. */
export class Plots {
  readonly element = h('div', { class: 'plots' });
  drawn: Drawn[] = [];
  private sync = uPlot.sync('ricochet');
  private range: [number, number] | null = null;
  private zooming = false;
  private observer: IntersectionObserver;

  constructor(private report: Report, private clock: Clock) {
    this.observer = new IntersectionObserver((entries) => {
      for (const entry of entries) if (entry.isIntersecting) {
        const drawn = this.drawn.find((d) => d.host === entry.target);
        if (drawn && !drawn.plot) this.make(drawn);
      }
    }, { rootMargin: '400px' });
    this.choose();
    clock.on((change) => {
      if (change === 'motion') this.choose();
      if (change === 'time') this.movePlayheads();
    });
    let width = 0;
    new ResizeObserver(() => {
      if (Math.abs(this.element.clientWidth - width) < 2) return;
      width = this.element.clientWidth;
      for (const d of this.drawn) d.plot?.setSize({ width: d.host.clientWidth, height: this.height(d.spec) });
      this.movePlayheads();
    }).observe(this.element);
  }

  private height(spec: PlotSpec): number { return spec.compact ? 96 : 170; }

  private choose(): void {
    for (const d of this.drawn) d.plot?.destroy();
    this.observer.disconnect();
    this.drawn = [];
    this.range = null;
    this.element.replaceChildren();
    const groups = specsOf(this.clock.motion, this.report.pairs);
    const prefix = (spec: PlotSpec) => (spec.title.includes('.') ? spec.title.split('.')[0] : '');
    groups.forEach((group, index) => {
      const grid = h('div', { class: 'plot-grid' });
      // Poses and velocities of many bodies: one body at a time.
      const bodies = [...new Set(group.specs.filter((spec) => !spec.compact).map(prefix))];
      const perBody = bodies.length > 1 && group.specs.length > 2 * bodies.length && (group.title === kGroupTitles.pose || group.title === kGroupTitles.velocity);
      const head = h('div', { class: 'group-head' }, h('h3', {}, group.title));
      const boxes: { box: HTMLElement; body: string }[] = [];
      const select = h('select', { 'aria-label': `Body shown under ${group.title}`, onchange: () => filter() },
        ...bodies.map((name) => h('option', { value: name }, name)));
      const filter = () => {
        for (const { box, body } of boxes) box.hidden = perBody && body !== select.value;
      };
      if (perBody) head.append(select);
      for (let i = 0; i < group.specs.length; ++i) {
        const box = h('div', { class: 'plot-pair' }, this.figureOf(group.specs[i]));
        if (group.specs[i + 1]?.compact) box.append(this.figureOf(group.specs[++i]));
        boxes.push({ box, body: prefix(group.specs[i]) });
        grid.append(box);
      }
      filter();
      const bulky = group.specs.length > 8 && index > 0;
      this.element.append(h('details', { class: 'plot-group', open: !bulky || perBody },
        h('summary', {}, head), group.note ? h('p', { class: 'note' }, group.note) : null, grid));
    });
    if (groups.length === 0) this.element.append(h('p', { class: 'note' }, 'This recording has no data to plot.'));
  }

  private figureOf(spec: PlotSpec): HTMLElement {
    const host = h('div', { class: 'plot-host', style: `min-height:${this.height(spec)}px` });
    const head = h('div', { class: 'values', 'aria-live': 'off' });
    const values = spec.series.map((series) => {
      const value = h('b', {}, '');
      head.append(h('span', {}, h('i', { class: `key ${series.mark}`, style: `--c:var(--${series.color})` }), `${series.name} `, value));
      return value;
    });
    const drawn: Drawn = { spec, plot: null, host, head, playhead: null, value: values, x: NaN };
    this.drawn.push(drawn);
    this.observer.observe(host);
    const element = figure({
      title: withUnit(spec.title, spec.unit), compact: spec.compact,
      csv: () => ({
        header: ['t', ...spec.series.map((x) => x.name)],
        rows: Array.from(spec.time, (t, i) => [t, ...spec.series.map((x) => x.values[i] ?? null)]),
      }),
      svg: () => svgOfPlot(spec, this.range),
    }, head, host);
    host.setAttribute('role', 'img');
    host.setAttribute('aria-label', `${withUnit(spec.title, spec.unit)} over time: ${describe(spec)}`);
    return element;
  }

  private make(drawn: Drawn): void {
    const { spec, host } = drawn;
    const axis = { stroke: () => colorOf('muted'), grid: { stroke: () => colorOf('plot-grid'), width: 1 }, ticks: { stroke: () => colorOf('plot-grid'), width: 1, size: 4 }, font: '11px system-ui, sans-serif' };
    const stems: uPlot.Series.PathBuilder = (u, index, from, to) => {
      const path = new Path2D();
      const shift = (index - 2) * 2 * devicePixelRatio;
      const zero = u.valToPos(0, 'y', true);
      for (let i = from; i <= to; ++i) {
        const v = u.data[index][i];
        if (v === null || v === undefined) continue;
        const x = u.valToPos(u.data[0][i], 'x', true) + shift;
        const y = u.valToPos(v, 'y', true);
        path.moveTo(x, zero);
        path.lineTo(x, y);
      }
      return { stroke: path, fill: null, clip: null, flags: 0 } as unknown as uPlot.Series.Paths;
    };
    const dots: uPlot.Series.PathBuilder = () => null;
    const options: uPlot.Options = {
      width: Math.max(host.clientWidth, 50), height: this.height(spec), legend: { show: false },
      padding: [8, 8, 0, 0],
      cursor: { sync: { key: this.sync.key, setSeries: false, scales: ['x', null] }, drag: { x: true, y: false, setScale: true }, points: { size: 7 } },
      scales: {
        x: { time: false, min: this.range?.[0], max: this.range?.[1] },
        y: {
          range: (_, lo, hi) => {
            if (lo === null || hi === null) return [0, 1];
            if (spec.zero) { lo = Math.min(lo, 0); hi = Math.max(hi, 0); }
            if (spec.band) { lo = Math.min(lo, -spec.band * 1.3); hi = Math.max(hi, spec.band * 1.3); }
            const margin = (hi - lo) * 0.08 || Math.abs(hi) * 0.1 || 1e-6;
            return [lo - margin, hi + margin];
          },
        },
      },
      axes: [
        { ...axis, size: spec.compact ? 22 : 26, values: (_, ticks) => ticks.map((t) => show(t, 6)) },
        { ...axis, size: 58, values: (_, ticks) => ticks.map((t) => show(t, 5)), space: 26 },
      ],
      series: [{}, ...spec.series.map((x): uPlot.Series => ({
        label: x.name, stroke: () => colorOf(x.color), width: x.mark === 'stems' ? 2 : 1.6, spanGaps: x.mark !== 'stems',
        dash: x.mark === 'dashed' ? [6, 4] : undefined,
        ...(x.mark === 'stems' ? { paths: stems, points: { show: (u: uPlot) => u.data[0].length < 400, size: 5 } } : {}),
        ...(x.mark === 'dots' ? { paths: spec.time.length > 4000 ? undefined : dots, points: { show: spec.time.length <= 4000, size: spec.time.length > 400 ? 2.5 : 3.6, fill: () => colorOf(x.color) } } : {}),
        ...(x.mark === 'line' || x.mark === 'dashed' ? { points: { show: false } } : {}),
      }))],
      hooks: {
        drawAxes: [(u) => this.decorate(u, spec)],
        setCursor: [(u) => this.showValues(drawn, u.cursor.idx ?? null)],
        setScale: [(u, key) => { if (key === 'x') this.zoomed(u); }],
        ready: [(u) => {
          let down: [number, number] = [0, 0];
          u.over.addEventListener('mousedown', (e) => { down = [e.clientX, e.clientY]; });
          u.over.addEventListener('click', (e) => {
            if (Math.hypot(e.clientX - down[0], e.clientY - down[1]) > 3) return;
            this.clock.setPlaying(false);
            this.clock.seek(u.posToVal(e.clientX - u.over.getBoundingClientRect().left, 'x'));
          });
          u.over.addEventListener('dblclick', () => this.resetZoom());
          drawn.playhead = h('div', { class: 'playhead' });
          u.over.append(drawn.playhead);
        }],
      },
    };
    drawn.plot = new uPlot(options, [spec.time, ...spec.series.map((x) => x.values)] as uPlot.AlignedData, host);
    this.movePlayhead(drawn);
  }

  /** Impacts and the noise band, behind the data. */
  private decorate(u: uPlot, spec: PlotSpec): void {
    const c = u.ctx;
    const { left, top, width, height } = u.bbox;
    c.save();
    c.beginPath();
    c.rect(left, top, width, height);
    c.clip();
    if (spec.band) {
      const hi = u.valToPos(spec.band, 'y', true);
      const lo = u.valToPos(-spec.band, 'y', true);
      c.fillStyle = colorOf('band');
      c.fillRect(left, hi, width, lo - hi);
    }
    if (spec.zero) {
      c.strokeStyle = colorOf('muted');
      c.lineWidth = 1;
      c.beginPath();
      const y = Math.round(u.valToPos(0, 'y', true)) + 0.5;
      c.moveTo(left, y);
      c.lineTo(left + width, y);
      c.stroke();
    }
    if (spec.impacts.length <= 400) {
      c.strokeStyle = c.fillStyle = colorOf('impact');
      c.lineWidth = devicePixelRatio;
      c.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
      c.beginPath();
      for (const t of spec.impacts) {
        const x = Math.round(u.valToPos(t, 'x', true)) + 0.5;
        c.moveTo(x, top);
        c.lineTo(x, top + height);
      }
      c.stroke();
    }
    c.restore();
  }

  private showValues(drawn: Drawn, index: number | null): void {
    drawn.value.forEach((element, i) => {
      const value = index === null ? null : drawn.spec.series[i].values[index];
      element.textContent = index === null ? '' : show(value);
    });
    drawn.head.dataset.time = index === null ? '' : String(drawn.spec.time[index]);
  }

  private zoomed(u: uPlot): void {
    const { min, max } = u.scales.x;
    if (this.zooming || min === undefined || max === undefined || min === null || max === null || !u.over) return;
    if (this.range && this.range[0] === min && this.range[1] === max) return;
    // The first scaling of a plot is to its whole data.
    if (!this.range && !this.drawn.some((d) => d.plot === u)) return;
    this.range = [min, max];
    this.applyRange();
  }

  private applyRange(): void {
    this.zooming = true;
    for (const d of this.drawn) {
      if (!d.plot) continue;
      const t = d.spec.time;
      d.plot.setScale('x', this.range ? { min: this.range[0], max: this.range[1] } : { min: t[0], max: t[t.length - 1] });
      this.movePlayhead(d);
    }
    queueMicrotask(() => { this.zooming = false; this.movePlayheads(); });
  }

  resetZoom(): void { this.range = null; this.applyRange(); }

  private movePlayheads(): void { for (const d of this.drawn) this.movePlayhead(d); }

  private movePlayhead(d: Drawn): void {
    if (!d.plot || !d.playhead) return;
    // From uPlot's own numbers: asking the page for a width here would lay it out again for every plot and frame.
    const { min, max } = d.plot.scales.x;
    if (min === undefined || max === undefined) return;
    const share = (this.clock.time - min) / (max - min || 1);
    const x = Math.round((share * d.plot.bbox.width) / devicePixelRatio);
    if (d.x === x) return;
    d.x = x;
    d.playhead.style.transform = `translateX(${x}px)`;
    d.playhead.style.visibility = share >= 0 && share <= 1 ? 'visible' : 'hidden';
  }

  makeAll(): void { for (const d of this.drawn) if (!d.plot && d.host.clientWidth > 0) this.make(d); }
  restyle(): void { for (const d of this.drawn) d.plot?.redraw(false, true); }
}

function describe(spec: PlotSpec): string {
  return spec.series.map((x) => {
    let [lo, hi] = [Infinity, -Infinity];
    for (const v of x.values) if (v !== null && !Number.isNaN(v)) { lo = Math.min(lo, v); hi = Math.max(hi, v); }
    return lo <= hi ? `${x.name} from ${show(lo, 3)} to ${show(hi, 3)}` : `${x.name} empty`;
  }).join(', ');
}
