// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The playback: picture, transport, pointer and keyboard.
import { Clock } from './clock';
import type { Contact, Motion, Report, Track, Vec3 } from './data';
import { button, h, s } from './dom';
import { boundsOf, poseAt, type Bounds } from './geometry';
import { GlRenderer } from './gl';
import { Overlay } from './overlay';
import { Painter } from './painter';
import { readColors, View, type Colors, type Frame, type Renderer } from './stage';

const kIcons = {
  play: 'M8 5v14l11-7z', pause: 'M6 5h4v14H6zM14 5h4v14h-4z', back: 'M15 5v14l-8-7zM5 5h2v14H5z', forward: 'M9 5v14l8-7zM17 5h2v14h-2z',
  previous: 'M20 5v14l-7-7zM12 5v14l-7-7z', next: 'M4 5v14l7-7zM12 5v14l7-7z',
  loop: 'M7 7h10v3l4-4-4-4v3H5v6h2zM17 17H7v-3l-4 4 4 4v-3h12v-6h-2z',
  home: 'M12 3 3 11h3v9h5v-6h2v6h5v-9h3z',
};
const kSpeeds = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4];
const kHold = 0.35;  // [s] of real time for which an impulse stays visible

export class Player {
  readonly element: HTMLElement;
  readonly view: View;
  readonly overlay = new Overlay();
  fallback = false;
  frames = 0;  // drawn so far
  private renderer!: Renderer;
  private stage = h('div', { class: 'stage', tabindex: 0, role: 'img', 'aria-label': 'Playback of the motion' });
  private colors: Colors = readColors();
  private bounds!: Bounds;
  private dirty = true;
  private ratio = Math.min(window.devicePixelRatio || 1, 2);
  private slow = 0;
  private last = 0;
  private options = { ghost: true, arrows: true, trails: true };
  private scrub: HTMLInputElement;
  private marks = s('svg', { class: 'marks', 'aria-hidden': 'true', preserveAspectRatio: 'none', viewBox: '0 0 1000 10' });
  private readout = h('output', { class: 'readout' });
  private playButton: HTMLButtonElement;
  private trails = new Map<Track, { points: Vec3[]; ghost: boolean; body: number }[]>();
  private largest = new Map<Motion, number>();

  constructor(private report: Report, readonly clock: Clock, private redrawn: () => void) {
    this.view = new View(report.scene.space === 'planar');
    this.scrub = h('input', {
      type: 'range', min: 0, max: 1000, step: 'any', class: 'scrub', 'aria-label': 'Time',
      oninput: () => {
        const motion = clock.motion;
        const share = Number(this.scrub.value) / 1000;
        clock.setPlaying(false);
        clock.seek(motion.begin + share * (motion.end - motion.begin));
      },
    });
    this.playButton = button('Play', kIcons.play, () => clock.setPlaying(!clock.playing), { class: 'primary' });
    this.element = this.build();
    this.chooseMotion();
    clock.on((change) => {
      if (change === 'motion') this.chooseMotion();
      if (change === 'playing') this.showPlaying();
      this.dirty = true;
      this.showTime();
    });
    new ResizeObserver(() => this.resize()).observe(this.stage);
    this.bindPointer();
    this.showPlaying();
    this.showTime();
    requestAnimationFrame((now) => this.tick(now));
  }

  restyle(): void { this.colors = readColors(); this.dirty = true; }

  private build(): HTMLElement {
    const { clock, report } = this;
    // Names without the folders that all of them share.
    const names = report.motions.map((m) => m.name);
    let shared = names.length > 1 ? names[0].lastIndexOf('/') + 1 : 0;
    while (shared > 0 && !names.every((name) => name.startsWith(names[0].slice(0, shared)))) shared = names[0].lastIndexOf('/', shared - 2) + 1;
    const choose = h('select', {
      'aria-label': 'Recording', class: 'recording', onchange: () => clock.chooseMotion(Number(choose.value)),
    }, ...report.motions.map((m, i) => h('option', { value: i }, `${m.name.slice(shared)}${m.used ? '' : ' (excluded)'}`)));
    clock.on((change) => { if (change === 'motion') choose.value = String(clock.motionIndex); });
    const speed = h('select', { 'aria-label': 'Speed', onchange: () => clock.setSpeed(Number(speed.value)) },
      ...kSpeeds.map((x) => h('option', { value: x }, `${x}×`)));
    const loop = button('Loop', kIcons.loop, () => clock.setLoop(!clock.loop), { 'aria-pressed': String(clock.loop) });
    const refresh = () => {
      speed.value = String(clock.speed);
      loop.setAttribute('aria-pressed', String(clock.loop));
    };
    clock.on((change) => { if (change === 'options' || change === 'motion') refresh(); });
    refresh();
    const toggle = (name: 'ghost' | 'arrows' | 'trails', label: string) => {
      const box = h('input', { type: 'checkbox', checked: true, onchange: () => { this.options[name] = box.checked; this.dirty = true; } });
      return h('label', { class: 'toggle' }, box, label);
    };
    const kinds = new Set(report.motions.flatMap((m) => m.tracks.map((t) => t.kind)));
    const solid = ['fitted', 'simulated', 'predicted'].find((k) => kinds.has(k as Track['kind']));
    const hasImpacts = report.motions.some((m) => m.contacts.length > 0);
    const legend = h('div', { class: 'legend' },
      solid && h('span', {}, h('i', { class: 'key solid' }), solid),
      kinds.has('recorded') && h('span', {}, h('i', { class: solid ? 'key ghost' : 'key solid' }), 'recorded'),
      hasImpacts && h('span', { title: 'A sticking contact: solid arrow, filled head, square foot' }, this.arrowKey(false), 'impulse, stick'),
      hasImpacts && h('span', { title: 'A sliding contact: dashed arrow, open head, ring foot' }, this.arrowKey(true), 'impulse, slide'));
    this.startRenderer();
    return h('section', { class: 'player card', 'aria-label': 'Playback' },
      h('div', { class: 'player-head' }, h('h2', {}, 'Playback'), report.motions.length > 1 && choose),
      this.stage,
      this.fallback ? h('p', { class: 'note', role: 'status' }, 'WebGL is not available here, so this is a 2D projection of the scene.') : null,
      h('div', { class: 'timeline' }, this.scrub, this.marks),
      h('div', { class: 'transport', role: 'group', 'aria-label': 'Transport' },
        hasImpacts && button('Previous impact', kIcons.previous, () => clock.jump(-1)),
        button('Step back', kIcons.back, () => clock.step(-1)), this.playButton,
        button('Step forward', kIcons.forward, () => clock.step(1)),
        hasImpacts && button('Next impact', kIcons.next, () => clock.jump(1)),
        loop, speed, this.readout, button('Reset the view', kIcons.home, () => this.resetView(), { class: 'end' })),
      h('div', { class: 'player-foot' }, legend, h('div', { class: 'toggles' },
        solid && kinds.has('recorded') && toggle('ghost', 'recorded'), hasImpacts && toggle('arrows', 'impulses'), toggle('trails', 'paths'))));
  }

  private arrowKey(slides: boolean): SVGSVGElement {
    return s('svg', { viewBox: '0 0 34 12', width: 34, height: 12, class: slides ? 'key-slide' : 'key-stick', 'aria-hidden': 'true' },
      slides ? s('circle', { cx: 5, cy: 6, r: 3.4, fill: 'none' }) : s('rect', { x: 2, y: 3, width: 6, height: 6, class: 'filled' }),
      s('path', { d: 'M8 6H28', 'stroke-dasharray': slides ? '5 3' : null }),
      s('path', slides ? { d: 'M24 1.5 32 6 24 10.5', fill: 'none' } : { d: 'M24 1.5 32 6 24 10.5z', class: 'filled' }));
  }

  private startRenderer(): void {
    const bounds = boundsOf(this.report.scene, this.report.motions.slice(0, 20).flatMap((m) => m.tracks));
    const stage = { scene: this.report.scene, bounds };
    if (this.view.planar) {
      this.renderer = new Painter(stage);
    } else {
      try {
        if (new URLSearchParams(location.search).has('nowebgl')) throw new Error('disabled by the address');
        this.renderer = new GlRenderer(stage);
      } catch {
        this.fallback = true;
        this.renderer = new Painter(stage);
      }
    }
    this.renderer.canvas.classList.add('picture');
    this.overlay.canvas.classList.add('overlay');
    this.stage.append(this.renderer.canvas, this.overlay.canvas);
  }

  private chooseMotion(): void {
    const motion = this.clock.motion;
    this.bounds = boundsOf(this.report.scene, motion.tracks);
    this.resetView();
    this.marks.replaceChildren();
    const length = motion.end - motion.begin || 1;
    const stride = Math.max(1, Math.ceil(motion.impacts.length / 500));
    motion.impacts.forEach((impact, i) => {
      if (i % stride) return;
      const x = ((impact.time - motion.begin) / length) * 1000;
      this.marks.append(s('path', { d: `M${x.toFixed(1)} 0V10`, 'vector-effect': 'non-scaling-stroke' }));
    });
  }

  resetView(): void {
    const points = this.bounds;
    // Room for the arrows and the ground.
    this.view.frame(points);
    this.dirty = true;
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.stage;
    if (width < 2 || height < 2) return;
    const first = this.view.width < 2;
    this.view.width = width;
    this.view.height = height;
    this.renderer.resize(width, height, this.ratio);
    this.overlay.resize(width, height, Math.min(window.devicePixelRatio || 1, 2));
    if (first) this.resetView();
    this.draw();
  }

  private tick(now: number): void {
    const seconds = Math.min((now - this.last) / 1000, 0.25);
    this.last = now;
    if (this.clock.playing) {
      this.clock.advance(seconds);
      this.adapt(seconds);
    }
    if (this.dirty) this.draw();
    requestAnimationFrame((next) => this.tick(next));
  }

  /** Fewer pixels where frames take too long, as in software rendering. */
  private adapt(seconds: number): void {
    this.slow = seconds > 0.03 ? this.slow + 1 : Math.max(0, this.slow - 1);
    if (this.slow > 8 && this.ratio > 0.5) {
      this.ratio *= 0.75;
      this.slow = 0;
      this.renderer.resize(this.view.width, this.view.height, this.ratio);
    }
  }

  /** `flat`: the picture is painted into the overlay, which paper shows. */
  draw(flat = false): void {
    this.dirty = false;
    if (this.view.width < 2) return;
    const frame = this.frame();
    this.renderer.draw(frame, this.view, this.colors);
    this.overlay.draw(frame, this.view, this.colors, this.report.scene, this.report.pairs, this.largestImpulse(), flat ? this.renderer.canvas : null);
    ++this.frames;
    this.redrawn();
  }

  private largestImpulse(): number {
    const motion = this.clock.motion;
    let largest = this.largest.get(motion);
    if (largest === undefined) {
      // Of a long stretch the impulse grows with its duration: impacts set the measure where there are any.
      const impacts = motion.contacts.filter((c) => c.impact);
      largest = (impacts.length ? impacts : motion.contacts).reduce((m, c) => Math.max(m, Math.hypot(c.normal, ...c.tangential)), 0);
      this.largest.set(motion, largest);
    }
    return largest;
  }

  private frame(): Frame {
    const { clock, report } = this;
    const motion = clock.motion;
    const frame: Frame = { time: clock.time, bodies: [], contacts: [], trails: [] };
    report.scene.bodies.forEach((body, i) => {
      if (body.fixed && body.pose) {
        const track: Track = {
          kind: 'simulated', rows: 1, time: new Float64Array([0]), poses: [{ body: i, channels: body.pose.map((_, k) => k) }],
          channels: body.pose.map((value) => ({ name: '', unit: '', group: 'pose', angle: false, values: new Float64Array([value]) })),
        };
        const pose = poseAt(track, i, 0);
        if (pose) frame.bodies.push({ body: i, pose, ghost: false });
      }
    });
    const fitted = motion.tracks.some((t) => t.kind !== 'recorded' && t.poses.length > 0);
    for (const track of motion.tracks) {
      const ghost = track.kind === 'recorded' && fitted;
      if (ghost && !this.options.ghost) continue;
      for (const entry of track.poses) {
        const pose = poseAt(track, entry.body, clock.time);
        if (pose) frame.bodies.push({ body: entry.body, pose, ghost });
      }
      if (this.options.trails) frame.trails.push(...this.trailsOf(track, ghost));
    }
    if (this.options.arrows) frame.contacts = this.contactsNow(motion);
    return frame;
  }

  private trailsOf(track: Track, ghost: boolean): Frame['trails'] {
    let trails = this.trails.get(track);
    if (!trails) {
      const stride = Math.max(1, Math.ceil(track.time.length / 500));
      trails = track.poses.map((entry) => {
        const columns = entry.channels.map((c) => track.channels[c].values);
        const points: Vec3[] = [];
        for (let i = 0; i < track.time.length; i += stride)
          points.push([columns[0][i], columns[1][i], columns.length === 3 ? 0 : columns[2][i]]);
        return { points, ghost, body: entry.body };
      });
      this.trails.set(track, trails);
    }
    return trails;
  }

  /** Contacts that are acting or were a moment ago. */
  private contactsNow(motion: Motion): Frame['contacts'] {
    const { time, speed, picked } = this.clock;
    const hold = kHold * speed;
    const out: Frame['contacts'] = [];
    const newest = new Map<string, { contact: Contact; strength: number; picked: boolean }>();
    for (const contact of motion.contacts) {
      if (contact === picked) continue;
      const since = time - contact.time;
      if (since < -1e-9) continue;
      const strength = since <= contact.duration + 1e-9 ? 1 : 1 - (since - contact.duration) / hold;
      if (strength <= 0) continue;
      // Of a stretch of contact its newest step, unless an impact is still fading.
      const key = `${contact.pair}/${contact.contact}`;
      if (contact.impact) out.push({ contact, strength, picked: false });
      else newest.set(key, { contact, strength, picked: false });
    }
    out.push(...newest.values());
    if (picked) out.push({ contact: picked, strength: 1, picked: true });
    return out.slice(-60);
  }

  private showPlaying(): void {
    const label = this.clock.playing ? 'Pause' : 'Play';
    if (this.playButton.getAttribute('aria-label') === label && this.playButton.title) return;
    this.playButton.setAttribute('aria-label', label);
    this.playButton.title = `${label} (space)`;
    this.playButton.querySelector('path')!.setAttribute('d', this.clock.playing ? kIcons.pause : kIcons.play);
  }

  private showTime(): void {
    const { motion, time } = this.clock;
    const length = motion.end - motion.begin || 1;
    this.scrub.value = String(((time - motion.begin) / length) * 1000);
    const digits = length < 10 ? 3 : 2;
    this.scrub.setAttribute('aria-valuetext', `${time.toFixed(digits)} seconds of ${motion.end.toFixed(digits)}`);
    this.readout.textContent = `${time.toFixed(digits)} / ${motion.end.toFixed(digits)} s`;
  }

  private bindPointer(): void {
    const pointers = new Map<number, [number, number]>();
    let moved = 0;
    const { stage, view } = this;
    stage.addEventListener('pointerdown', (e) => {
      pointers.set(e.pointerId, [e.clientX, e.clientY]);
      stage.setPointerCapture(e.pointerId);
      moved = 0;
    });
    stage.addEventListener('pointermove', (e) => {
      const before = pointers.get(e.pointerId);
      if (!before) return;
      const [dx, dy] = [e.clientX - before[0], e.clientY - before[1]];
      moved += Math.abs(dx) + Math.abs(dy);
      if (pointers.size === 2) {
        const other = [...pointers.entries()].find(([id]) => id !== e.pointerId)![1];
        const was = Math.hypot(before[0] - other[0], before[1] - other[1]);
        const is = Math.hypot(e.clientX - other[0], e.clientY - other[1]);
        if (is > 1) view.zoom(was / is);
      } else if (e.shiftKey || e.buttons === 4 || e.buttons === 2) view.pan(dx, dy);
      else view.orbit(dx, dy);
      pointers.set(e.pointerId, [e.clientX, e.clientY]);
      this.dirty = true;
    });
    const release = (e: PointerEvent) => {
      pointers.delete(e.pointerId);
      if (moved < 4 && e.type === 'pointerup') this.pickAt(e);
    };
    stage.addEventListener('pointerup', release);
    stage.addEventListener('pointercancel', release);
    stage.addEventListener('contextmenu', (e) => e.preventDefault());
    stage.addEventListener('wheel', (e) => {
      // The page scrolls unless the picture has the focus or a modifier says zoom.
      if (document.activeElement !== stage && !e.ctrlKey && !e.metaKey) return;
      e.preventDefault();
      view.zoom(Math.exp(e.deltaY * 0.0012));
      this.dirty = true;
    }, { passive: false });
    stage.addEventListener('keydown', (e) => {
      const turn: Record<string, [number, number]> = { w: [0, -20], s: [0, 20], a: [-20, 0], d: [20, 0] };
      if (turn[e.key]) view.orbit(...turn[e.key]);
      else if (e.key === '+' || e.key === '=') view.zoom(0.9);
      else if (e.key === '-') view.zoom(1.1);
      else return;
      e.preventDefault();
      this.dirty = true;
    });
  }

  /** A click on an arrow picks its impact; elsewhere it plays or pauses. */
  private pickAt(e: PointerEvent): void {
    const box = this.stage.getBoundingClientRect();
    const [x, y] = [e.clientX - box.left, e.clientY - box.top];
    for (const arrow of this.overlay.arrows) {
      const [ax, ay] = arrow.from;
      const [bx, by] = arrow.to;
      const k = Math.min(1, Math.max(0, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / (Math.hypot(bx - ax, by - ay) ** 2 || 1)));
      if (Math.hypot(x - ax - k * (bx - ax), y - ay - k * (by - ay)) < 10) return this.clock.pick(arrow.contact);
    }
    this.clock.setPlaying(!this.clock.playing);
  }
}

export function bindKeys(clock: Clock, player: Player): void {
  document.addEventListener('keydown', (e) => {
    const target = e.target as HTMLElement;
    if (e.ctrlKey || e.metaKey || e.altKey || target.matches('select, textarea, input:not([type=range]):not([type=checkbox])')) return;
    const range = target.matches('input[type=range]');
    const actions: Record<string, () => void> = {
      ' ': () => clock.setPlaying(!clock.playing),
      ArrowLeft: () => clock.step(e.shiftKey ? -10 : -1), ArrowRight: () => clock.step(e.shiftKey ? 10 : 1),
      Home: () => clock.seek(clock.motion.begin), End: () => clock.seek(clock.motion.end),
      n: () => clock.jump(1), p: () => clock.jump(-1), l: () => clock.setLoop(!clock.loop), r: () => player.resetView(),
      '[': () => clock.setSpeed(kSpeeds[Math.max(0, kSpeeds.indexOf(clock.speed) - 1)]),
      ']': () => clock.setSpeed(kSpeeds[Math.min(kSpeeds.length - 1, kSpeeds.indexOf(clock.speed) + 1)]),
    };
    const scrolls = e.key === 'Home' || e.key === 'End';
    if (e.key === ' ' && target.matches('button, summary, a, input[type=checkbox]')) return;
    if (!actions[e.key] || (scrolls && !range && target !== player.element.querySelector('.stage'))) return;
    e.preventDefault();
    actions[e.key]();
  });
}

/** A table of impacts whose rows jump to them. */
export function impactRows(motion: Motion, pairs: string[]): { contact: Contact; cells: (string | number)[] }[] {
  return motion.contacts.filter((c) => c.impact || c.duration > 0).map((contact) => ({
    contact,
    cells: [contact.time, contact.duration, pairs[contact.pair] ?? '', contact.contact, contact.slides ? 'slide' : 'stick',
      contact.normal, contact.tangential[0], contact.tangential[1]],
  }));
}

