// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What all renderers share: the view (camera), the colors, and a frame to draw.
import type { Contact, Scene, Vec3 } from './data';
import { add, cross, dot, scale, sub, unit, type Bounds, type Pose } from './geometry';

export interface Colors {
  background: string; ink: string; faint: string; grid: string; ground: string; belt: string; tile: string; fitted: string; recorded: string;
  stick: string; slide: string; bodies: string[];
}

export function readColors(): Colors {
  const style = getComputedStyle(document.documentElement);
  const get = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    background: get('stage'), ink: get('ink'), faint: get('muted'), grid: get('stage-grid'), ground: get('ground'), belt: get('belt'), tile: get('tile'),
    fitted: get('fitted'), recorded: get('recorded'), stick: get('stick'), slide: get('slide'),
    bodies: [1, 2, 3, 4, 5, 6].map((i) => get(`body-${i}`)),
  };
}

/** A camera: orthographic in the plane, perspective in space. Units are CSS pixels. */
export class View {
  width = 1;
  height = 1;
  target: Vec3 = [0, 0, 0];
  distance = 1;       // spatial: from the target [m]; planar: half of the height shown [m]
  azimuth = -1.0;     // [rad]
  elevation = 0.45;
  static readonly fov = 0.6;  // full vertical angle [rad]

  constructor(readonly planar: boolean) {}

  frame(bounds: Bounds): void {
    this.target = scale(add(bounds.lo, bounds.hi), 0.5);
    const size = sub(bounds.hi, bounds.lo);
    const aspect = this.width / this.height;
    if (this.planar) {
      this.distance = Math.max(size[1] / 2, size[0] / 2 / aspect, 1e-6) * 1.2;
      return;
    }
    this.azimuth = -1.0;
    this.elevation = 0.42;
    // So far away that every corner of the bounds is in the picture, with a margin.
    const [right, up, back] = this.axes();
    const slope = 0.85 * Math.tan(View.fov / 2);
    this.distance = 1e-6;
    for (let k = 0; k < 8; ++k) {
      const corner: Vec3 = [size[0] * ((k & 1) - 0.5), size[1] * (((k >> 1) & 1) - 0.5), size[2] * ((k >> 2) - 0.5)];
      this.distance = Math.max(this.distance, dot(corner, back) + Math.max(Math.abs(dot(corner, up)), Math.abs(dot(corner, right)) / aspect) / slope);
    }
  }

  /** Camera axes: right, up, and toward the viewer. */
  axes(): [Vec3, Vec3, Vec3] {
    if (this.planar) return [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    const c = Math.cos(this.elevation);
    const back: Vec3 = [c * Math.cos(this.azimuth), c * Math.sin(this.azimuth), Math.sin(this.elevation)];
    const right = unit(cross([0, 0, 1], back));
    return [right, cross(back, right), back];
  }

  eye(): Vec3 { return add(this.target, scale(this.axes()[2], this.distance)); }

  /** Pixels per meter at a depth. */
  pixels(depth: number): number {
    return this.planar ? this.height / (2 * this.distance) : this.height / (2 * Math.tan(View.fov / 2) * depth);
  }

  /** A function from world to pixels and depth; NaN behind the camera. */
  projector(): (p: Vec3) => [number, number, number] {
    const [right, up, back] = this.axes();
    const eye = this.eye();
    return (p) => {
      const d = sub(p, this.planar ? this.target : eye);
      const depth = this.planar ? 1 : -dot(d, back);
      if (!(depth > 1e-9)) return [NaN, NaN, depth];
      const k = this.pixels(depth);
      return [this.width / 2 + k * dot(d, right), this.height / 2 - k * dot(d, up), depth];
    };
  }

  /** A vertical world direction is kept; dragging moves the scene with the pointer. */
  pan(dx: number, dy: number): void {
    const [right, up] = this.axes();
    const k = 1 / this.pixels(this.distance);
    this.target = add(this.target, add(scale(right, -dx * k), scale(up, dy * k)));
  }

  orbit(dx: number, dy: number): void {
    if (this.planar) return this.pan(dx, dy);
    this.azimuth -= dx * 0.008;
    this.elevation = Math.min(1.55, Math.max(-1.2, this.elevation + dy * 0.008));
  }

  zoom(factor: number): void { this.distance = Math.min(1e6, Math.max(1e-6, this.distance * factor)); }
}

export interface Placed { body: number; pose: Pose; ghost: boolean }

/** Everything of one moment. */
export interface Frame {
  time: number;
  bodies: Placed[];
  contacts: { contact: Contact; strength: number; picked: boolean }[];  // strength: 1 at its time, fading to 0
  trails: { points: Vec3[]; ghost: boolean; body: number }[];
}

export interface Renderer {
  readonly canvas: HTMLCanvasElement;
  resize(width: number, height: number, ratio: number): void;
  draw(frame: Frame, view: View, colors: Colors): void;
  dispose(): void;
}

export interface StageScene { scene: Scene; bounds: Bounds }
