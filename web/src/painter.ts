// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Draws planar scenes, and spatial ones where there is no WebGL, on a 2D canvas. Faces of convex bodies that look away are
// left out and the rest is drawn from far to near.
import type { Surface, Vec3 } from './data';
import { add, cross, dot, mesh, outline, place, scale, sub, unit, type Mesh } from './geometry';
import type { Colors, Frame, Renderer, StageScene, View } from './stage';

type Project = (p: Vec3) => [number, number, number];
const vec = (a: number[]): Vec3 => [a[0], a[1], a[2] ?? 0];

export class Painter implements Renderer {
  readonly canvas = document.createElement('canvas');
  private context = this.canvas.getContext('2d')!;
  private meshes: (Mesh | null)[];
  private outlines: (Vec3[] | null)[];

  constructor(private stage: StageScene) {
    const planar = stage.scene.space === 'planar';
    this.meshes = stage.scene.bodies.map((b) => (!planar && b.shape ? mesh(b.shape) : null));
    this.outlines = stage.scene.bodies.map((b) => (planar && b.shape ? outline(b.shape) : null));
  }

  resize(width: number, height: number, ratio: number): void {
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  dispose(): void { /* nothing is held */ }

  draw(frame: Frame, view: View, colors: Colors): void {
    const c = this.context;
    c.fillStyle = colors.background;
    c.fillRect(0, 0, view.width, view.height);
    const project = view.projector();
    if (view.planar) this.drawPlanar(frame, view, colors, project);
    else this.drawSpatial(frame, view, colors, project);
  }

  private drawPlanar(frame: Frame, view: View, colors: Colors, project: Project): void {
    this.drawGrid(view, colors, project);
    for (const surface of this.stage.scene.surfaces) this.drawLine(surface, frame.time, view, colors, project);
    for (const placed of [...frame.bodies].sort((a, b) => Number(b.ghost) - Number(a.ghost))) {
      const shape = this.outlines[placed.body];
      const color = placed.ghost ? colors.recorded : this.colorOf(placed.body, colors);
      if (!shape) continue;
      this.path(shape.map((p) => project(place(placed.pose, p))), true);
      const c = this.context;
      c.globalAlpha = placed.ghost ? 0.1 : 0.32;
      c.fillStyle = color;
      c.fill();
      c.globalAlpha = 1;
      c.strokeStyle = color;
      c.lineWidth = placed.ghost ? 1.8 : 2.2;
      c.setLineDash(placed.ghost ? [5, 4] : []);
      c.stroke();
      // A spoke shows the turning.
      this.path([project(placed.pose.p), project(place(placed.pose, shape[0]))], false);
      c.lineWidth = 1.4;
      c.stroke();
      c.setLineDash([]);
      const [x, y] = project(placed.pose.p);
      c.beginPath();
      c.arc(x, y, placed.ghost ? 2.5 : 3.2, 0, 7);
      c.fillStyle = color;
      c.fill();
    }
  }

  private colorOf(body: number, colors: Colors): string {
    if (this.stage.scene.bodies[body].fixed) return colors.faint;
    return body === 0 ? colors.fitted : colors.bodies[body % colors.bodies.length];
  }

  private drawGrid(view: View, colors: Colors, project: Project): void {
    const c = this.context;
    const raw = (70 / view.height) * 2 * view.distance;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = power * ([1, 2, 5, 10].find((m) => m * power >= raw) ?? 10);
    const half = [view.distance * (view.width / view.height), view.distance];
    c.strokeStyle = colors.grid;
    c.lineWidth = 1;
    c.beginPath();
    for (const axis of [0, 1]) {
      const from = Math.ceil((view.target[axis] - half[axis]) / step);
      for (let k = from; k * step <= view.target[axis] + half[axis]; ++k) {
        const [x, y] = project(axis === 0 ? [k * step, 0, 0] : [0, k * step, 0]);
        if (axis === 0) { c.moveTo(Math.round(x) + 0.5, 0); c.lineTo(Math.round(x) + 0.5, view.height); }
        else { c.moveTo(0, Math.round(y) + 0.5); c.lineTo(view.width, Math.round(y) + 0.5); }
      }
    }
    c.stroke();
    // A scale bar.
    const bar = step * (view.height / (2 * view.distance));
    c.strokeStyle = colors.faint;
    c.fillStyle = colors.faint;
    c.lineWidth = 1.5;
    c.beginPath();
    const y = view.height - 14;
    c.moveTo(14, y - 4); c.lineTo(14, y); c.lineTo(14 + bar, y); c.lineTo(14 + bar, y - 4);
    c.stroke();
    c.font = '11px system-ui, sans-serif';
    c.fillText(step >= 1 ? `${step} m` : step >= 0.01 ? `${Math.round(step * 100)} cm` : `${+(step * 1000).toPrecision(2)} mm`, 18, y - 5);
  }

  /** A line with hatching on its inner side; on a conveyor, arrows that travel with it. */
  private drawLine(surface: Surface, time: number, view: View, colors: Colors, project: Project): void {
    const c = this.context;
    const reach = view.distance * (1 + view.width / view.height) * 2;
    const p0 = vec(surface.point);
    const [tangent, normal] = [vec(surface.axes[0]), vec(surface.axes[1])];
    const middle = dot(sub(view.target, p0), tangent);
    const lo = Math.max(surface.extent.length ? surface.extent[0] : -Infinity, middle - reach);
    const hi = Math.min(surface.extent.length ? surface.extent[1] : Infinity, middle + reach);
    if (!(hi > lo)) return;
    const at = (s: number, n = 0): Vec3 => add(p0, add(scale(tangent, s), scale(normal, n)));
    const pixel = (2 * view.distance) / view.height;
    const depth = surface.extent.length ? 14 * pixel : reach;
    this.path([at(lo), at(hi), at(hi, -depth), at(lo, -depth)].map(project), true);
    c.fillStyle = colors.ground;
    c.fill();
    c.save();
    c.clip();
    c.strokeStyle = colors.faint;
    const speed = dot(vec(surface.velocity), tangent);
    const spacing = 16 * pixel * (speed === 0 ? 1 : 3);
    const shift = speed * time;
    c.globalAlpha = speed === 0 ? 0.35 : 0.9;
    c.lineWidth = speed === 0 ? 1 : 1.8;
    c.beginPath();
    for (let k = Math.ceil((lo - shift) / spacing) - 1; k * spacing + shift <= hi + spacing; ++k) {
      const s = k * spacing + shift;
      const d = Math.sign(speed) * 5 * pixel;
      const points = speed === 0 ? [at(s), at(s - 10 * pixel, -10 * pixel)]
        : [at(s - d, -3 * pixel), at(s, -7.5 * pixel), at(s - d, -12 * pixel)];
      points.map(project).forEach(([x, y], i) => (i === 0 ? c.moveTo(x, y) : c.lineTo(x, y)));
    }
    c.stroke();
    c.restore();
    this.path([project(at(lo)), project(at(hi))], false);
    c.strokeStyle = colors.ink;
    c.lineWidth = 1.6;
    c.stroke();
  }

  private drawSpatial(frame: Frame, view: View, colors: Colors, project: Project): void {
    const c = this.context;
    for (const surface of this.stage.scene.surfaces) this.drawPlane(surface, frame.time, colors, project);
    const light = unit([0.35, -0.5, 0.8]);
    const eye = view.eye();
    interface Face { points: [number, number, number][]; depth: number; shade: number; color: string; ghost: boolean }
    const faces: Face[] = [];
    for (const placed of frame.bodies) {
      const solid = this.meshes[placed.body];
      if (!solid) continue;
      const world = solid.vertices.map((v) => place(placed.pose, v));
      for (const face of solid.faces) {
        const [a, b, d] = [world[face[0]], world[face[1]], world[face[2]]];
        const normal = unit(cross(sub(b, a), sub(d, a)));
        if (dot(normal, sub(eye, a)) <= 0) continue;
        const points = face.map((i) => project(world[i]));
        if (points.some((p) => Number.isNaN(p[0]))) continue;
        faces.push({
          points, depth: points.reduce((z, p) => z + p[2], 0) / points.length, ghost: placed.ghost,
          shade: 0.25 + 0.75 * Math.max(0, dot(normal, light)),
          color: placed.ghost ? colors.recorded : this.colorOf(placed.body, colors),
        });
      }
    }
    faces.sort((a, b) => b.depth - a.depth);
    for (const face of faces) {
      this.path(face.points, true);
      c.fillStyle = face.color;
      c.globalAlpha = face.ghost ? 0.1 : 1;
      c.fill();
      if (!face.ghost) {
        c.fillStyle = '#000';
        c.globalAlpha = 0.55 * (1 - face.shade);
        c.fill();
      }
      c.globalAlpha = face.ghost ? 0.8 : 0.5;
      c.strokeStyle = face.ghost ? face.color : colors.ink;
      c.setLineDash(face.ghost ? [4, 3] : []);
      c.lineWidth = 1;
      c.stroke();
      c.setLineDash([]);
      c.globalAlpha = 1;
    }
  }

  private drawPlane(surface: Surface, time: number, colors: Colors, project: Project): void {
    const c = this.context;
    const { lo, hi } = planeRange(surface, this.stage);
    const [ex, ey] = [vec(surface.axes[0]), vec(surface.axes[1])];
    const at = (x: number, y: number): Vec3 => add(vec(surface.point), add(scale(ex, x), scale(ey, y)));
    this.path([at(lo[0], lo[1]), at(hi[0], lo[1]), at(hi[0], hi[1]), at(lo[0], hi[1])].map(project), true);
    const velocity = vec(surface.velocity);
    c.fillStyle = Math.hypot(...velocity) > 0 ? colors.belt : colors.ground;
    c.fill();
    const shift = [dot(velocity, ex) * time, dot(velocity, ey) * time];
    const step = Math.max(hi[0] - lo[0], hi[1] - lo[1]) / 12;
    c.strokeStyle = colors.tile;
    c.lineWidth = 1;
    c.beginPath();
    for (const axis of [0, 1]) for (let k = Math.ceil((lo[axis] - shift[axis]) / step); k * step + shift[axis] <= hi[axis]; ++k) {
      const s = k * step + shift[axis];
      const ends = axis === 0 ? [at(s, lo[1]), at(s, hi[1])] : [at(lo[0], s), at(hi[0], s)];
      ends.map(project).forEach(([x, y], i) => (i === 0 ? c.moveTo(x, y) : c.lineTo(x, y)));
    }
    c.stroke();
  }

  private path(points: [number, number, number][], close: boolean): void {
    this.context.beginPath();
    points.forEach(([x, y], i) => (i === 0 ? this.context.moveTo(x, y) : this.context.lineTo(x, y)));
    if (close) this.context.closePath();
  }
}

/** Part of a plane that is drawn: its extent, or enough to stand under the whole motion. */
export function planeRange(surface: Surface, stage: StageScene): { lo: [number, number]; hi: [number, number] } {
  if (surface.extent.length === 4) {
    const [x0, x1, y0, y1] = surface.extent;
    return { lo: [x0, y0], hi: [x1, y1] };
  }
  const { lo, hi } = stage.bounds;
  const center = scale(add(lo, hi), 0.5);
  const reach = Math.max(hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]) * 0.75;
  const from = sub(center, vec(surface.point));
  const [x, y] = [dot(from, vec(surface.axes[0])), dot(from, vec(surface.axes[1]))];
  return { lo: [x - reach, y - reach], hi: [x + reach, y + reach] };
}

