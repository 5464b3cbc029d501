// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The one time and the one recording that player, plots and tables share.
import type { Contact, Motion, Report } from './data';
import { rowAt } from './data';

export type Change = 'time' | 'motion' | 'playing' | 'picked' | 'options';

export class Clock {
  motionIndex = 0;
  time = 0;
  playing = false;
  speed = 1;
  loop = true;
  picked: Contact | null = null;
  private listeners: ((change: Change) => void)[] = [];

  constructor(readonly report: Report) {
    if (report.motions.length > 0) this.chooseMotion(Math.max(0, report.motions.findIndex((m) => m.used)));
  }

  get motion(): Motion { return this.report.motions[this.motionIndex]; }

  on(listener: (change: Change) => void): void { this.listeners.push(listener); }
  private emit(change: Change): void { for (const listener of this.listeners) listener(change); }

  chooseMotion(index: number): void {
    this.motionIndex = index;
    this.time = this.motion.begin;
    this.picked = null;
    const length = this.motion.end - this.motion.begin;
    this.speed = [2, 1, 0.5, 0.25, 0.1, 0.05, 0.02, 0.01].find((x) => length / x >= 4) ?? 0.01;
    if (length > 40) this.speed = 1;
    this.emit('motion');
    this.emit('time');
  }

  seek(time: number, keepPick = false): void {
    this.time = Math.min(Math.max(time, this.motion.begin), this.motion.end);
    if (!keepPick && this.picked) {
      this.picked = null;
      this.emit('picked');
    }
    this.emit('time');
  }

  setPlaying(playing: boolean): void {
    if (playing && this.time >= this.motion.end) this.seek(this.motion.begin);
    this.playing = playing;
    this.emit('playing');
  }

  setSpeed(speed: number): void { this.speed = speed; this.emit('options'); }
  setLoop(loop: boolean): void { this.loop = loop; this.emit('options'); }

  /** Rows of the track that sets the frames: the finest one. */
  step(count: number): void {
    this.setPlaying(false);
    const track = this.motion.tracks.reduce((a, b) => (b.time.length > a.time.length ? b : a));
    if (track.time.length === 0) return;
    const row = rowAt(track.time, this.time + 1e-9) + count;
    this.seek(track.time[Math.min(Math.max(row, 0), track.time.length - 1)]);
  }

  pick(contact: Contact): void {
    this.setPlaying(false);
    this.picked = contact;
    this.seek(contact.time, true);
    this.emit('picked');
  }

  /** The next (1) or previous (-1) impact, round the end. */
  jump(direction: number): void {
    const impacts = this.motion.impacts;
    if (impacts.length === 0) return;
    const here = this.picked && impacts.includes(this.picked) ? impacts.indexOf(this.picked) : -1;
    let index: number;
    if (here >= 0) index = here + direction;
    else if (direction > 0) index = impacts.findIndex((c) => c.time > this.time);
    else index = impacts.filter((c) => c.time < this.time).length - 1;
    if (here < 0 && direction > 0 && index < 0) index = 0;
    this.pick(impacts[(index + impacts.length) % impacts.length]);
  }

  /** Called once per frame with the time that went by [s]. */
  advance(seconds: number): void {
    if (!this.playing) return;
    let time = this.time + seconds * this.speed;
    if (time >= this.motion.end) {
      if (!this.loop) {
        this.seek(this.motion.end);
        this.setPlaying(false);
        return;
      }
      const length = this.motion.end - this.motion.begin;
      time = length > 0 ? this.motion.begin + ((time - this.motion.begin) % length) : this.motion.begin;
    }
    this.seek(time);
  }
}
