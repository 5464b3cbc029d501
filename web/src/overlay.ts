// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What lies over the picture: trails, joints and contact impulses. Stick and slide differ by form: a sticking contact has a
// solid arrow with a filled head on a square, a sliding one a dashed arrow with an open head on a ring.
import type { Contact, Scene, Vec3 } from './data';
import { add, place, scale, type Pose } from './geometry';
import { show } from './dom';
import type { Colors, Frame, View } from './stage';

export const kLongest = 110;  // of an arrow [px]

/** Length of an arrow: with the square root of the impulse, so that small ones can be seen beside large ones. */
export const arrowLength = (impulse: number, largest: number): number =>
  largest > 0 ? Math.min(kLongest, Math.max(14, kLongest * Math.sqrt(impulse / largest))) : 0;

export function drawArrow(c: CanvasRenderingContext2D, from: [number, number], to: [number, number], slides: boolean, color: string): void {
  const angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
  c.strokeStyle = c.fillStyle = color;
  c.lineWidth = 3;
  c.setLineDash(slides ? [7, 4] : []);
  c.beginPath();
  c.moveTo(...from);
  c.lineTo(to[0] - (slides ? 0 : 8 * Math.cos(angle)), to[1] - (slides ? 0 : 8 * Math.sin(angle)));
  c.stroke();
  c.setLineDash([]);
  c.beginPath();
  for (const side of [-1, 1]) {
    c.moveTo(...to);
    c.lineTo(to[0] - 12 * Math.cos(angle + side * 0.42), to[1] - 12 * Math.sin(angle + side * 0.42));
  }
  c.lineWidth = 2.4;
  if (slides) c.stroke();
  else {
    c.beginPath();
    c.moveTo(...to);
    for (const side of [-1, 1]) c.lineTo(to[0] - 12 * Math.cos(angle + side * 0.42), to[1] - 12 * Math.sin(angle + side * 0.42));
    c.closePath();
    c.fill();
  }
  c.beginPath();
  if (slides) { c.arc(from[0], from[1], 4.5, 0, 7); c.stroke(); }
  else c.fillRect(from[0] - 4, from[1] - 4, 8, 8);
}

export interface DrawnArrow { from: [number, number]; to: [number, number]; slides: boolean; contact: Contact; picked: boolean }

export class Overlay {
  readonly canvas = document.createElement('canvas');
  arrows: DrawnArrow[] = [];  // of the last frame
  private context = this.canvas.getContext('2d')!;

  resize(width: number, height: number, ratio: number): void {
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  draw(frame: Frame, view: View, colors: Colors, scene: Scene, pairs: string[], largest: number, picture: HTMLCanvasElement | null): void {
    const c = this.context;
    c.clearRect(0, 0, view.width, view.height);
    if (picture) c.drawImage(picture, 0, 0, view.width, view.height);
    const project = view.projector();
    for (const trail of frame.trails) {
      c.strokeStyle = trail.ghost ? colors.recorded : trail.body === 0 ? colors.fitted : colors.bodies[trail.body % colors.bodies.length];
      c.globalAlpha = trail.ghost ? 0.55 : 0.6;
      c.lineWidth = 1.4;
      c.setLineDash(trail.ghost ? [2, 4] : []);
      c.beginPath();
      let pen = false;
      for (const p of trail.points) {
        const [x, y] = project(p);
        if (Number.isNaN(x)) { pen = false; continue; }
        if (pen) c.lineTo(x, y);
        else c.moveTo(x, y);
        pen = true;
      }
      c.stroke();
      c.setLineDash([]);
      c.globalAlpha = 1;
    }
    this.drawJoints(frame, view, colors, scene, project);
    this.arrows = [];
    for (const { contact, strength, picked } of frame.contacts) {
      if (!contact.hasPoint) continue;
      const [x, y, depth] = project(contact.point);
      if (Number.isNaN(x)) continue;
      const color = contact.slides ? colors.slide : colors.stick;
      const size = Math.hypot(...contact.impulse);
      c.globalAlpha = picked ? 1 : Math.max(0.15, strength);
      let to: [number, number] = [x, y];
      if (size > 0) {
        const reach = arrowLength(size, largest) / view.pixels(depth);
        const tip = project(add(contact.point, scale(contact.impulse, reach / size)));
        if (!Number.isNaN(tip[0])) to = [tip[0], tip[1]];
        drawArrow(c, [x, y], to, contact.slides, color);
      } else {
        // The direction is unknown (between bodies, in contacts.csv): a ring whose size shows the impulse.
        c.strokeStyle = color;
        c.lineWidth = 2.4;
        c.setLineDash(contact.slides ? [4, 3] : []);
        c.beginPath();
        c.arc(x, y, arrowLength(Math.hypot(contact.normal, ...contact.tangential), largest) / 3, 0, 7);
        c.stroke();
        c.setLineDash([]);
        c.beginPath();
        c.fillStyle = color;
        if (contact.slides) { c.arc(x, y, 4.5, 0, 7); c.stroke(); } else c.fillRect(x - 4, y - 4, 8, 8);
      }
      this.arrows.push({ from: [x, y], to, slides: contact.slides, contact, picked });
      if (picked) this.label(`${pairs[contact.pair] ?? ''}  ${contact.slides ? 'slide' : 'stick'}  ${show(contact.normal, 3)} N s`, to, view, colors);
      c.globalAlpha = 1;
    }
  }

  /** Joints, and lines from them to the centers of bodies that have no shape; of the recorded mechanism dashed. */
  private drawJoints(frame: Frame, view: View, colors: Colors, scene: Scene, project: (p: Vec3) => [number, number, number]): void {
    if (scene.joints.length === 0) return;
    for (const ghost of [true, false]) {
      const poses = new Map<number, Pose>();
      for (const placed of frame.bodies) if (placed.ghost === ghost || scene.bodies[placed.body].fixed) poses.set(placed.body, placed.pose);
      if (frame.bodies.some((placed) => placed.ghost === ghost)) this.drawMechanism(poses, ghost, view, colors, scene, project);
    }
  }

  private drawMechanism(poses: Map<number, Pose>, ghost: boolean, view: View, colors: Colors, scene: Scene, project: (p: Vec3) => [number, number, number]): void {
    const c = this.context;
    const at = (body: number, point: Vec3): Vec3 | null => {
      if (body < 0) return point;
      const pose = poses.get(body);
      return pose ? place(pose, point) : null;
    };
    c.strokeStyle = ghost ? colors.recorded : colors.ink;
    for (const joint of scene.joints) {
      const parent = at(joint.parent, joint.parent_frame.point);
      const child = at(joint.child, joint.child_frame.point);
      if (!parent || !child) continue;
      const [px, py] = project(parent);
      const [x, y] = project(child);
      c.lineWidth = ghost ? 2.5 : 1.5;
      c.globalAlpha = 0.8;
      c.setLineDash(ghost ? [4, 4] : []);
      c.beginPath();
      c.moveTo(px, py);
      c.lineTo(x, y);
      for (const [body, from] of [[joint.parent, [px, py]], [joint.child, [x, y]]] as [number, [number, number]][]) {
        const center = body >= 0 && !scene.bodies[body].fixed && !scene.bodies[body].shape ? poses.get(body) : undefined;
        if (!center) continue;
        const [cx, cy] = project(center.p);
        c.moveTo(...from);
        c.lineTo(cx, cy);
        c.moveTo(cx + 6, cy);
        c.arc(cx, cy, 6, 0, 7);
      }
      c.stroke();
      c.setLineDash([]);
      c.globalAlpha = 1;
      if (ghost) continue;
      c.fillStyle = colors.background;
      c.lineWidth = 2;
      c.beginPath();
      if (joint.type === 'slider') c.rect(x - 6, y - 4, 12, 8);
      else if (joint.type === 'fixed') c.rect(x - 4, y - 4, 8, 8);
      else c.arc(x, y, joint.type === 'ball' ? 6 : 4.5, 0, 7);
      c.fill();
      c.stroke();
      if (joint.type === 'hinge' && !view.planar) {
        const pose = joint.child >= 0 ? poses.get(joint.child) : null;
        if (!pose) continue;
        const arm = 18 / view.pixels(project(child)[2]);
        const ends = [-arm, arm].map((k) => project(place(pose, add(joint.child_frame.point, scale(joint.child_frame.axis, k)))));
        c.lineWidth = 1.5;
        c.beginPath();
        c.moveTo(ends[0][0], ends[0][1]);
        c.lineTo(ends[1][0], ends[1][1]);
        c.stroke();
      }
    }
  }

  private label(text: string, at: [number, number], view: View, colors: Colors): void {
    const c = this.context;
    c.font = '12px system-ui, sans-serif';
    const width = c.measureText(text).width + 12;
    const x = Math.min(Math.max(4, at[0] + 8), view.width - width - 4);
    const y = Math.min(Math.max(4, at[1] - 28), view.height - 26);
    c.fillStyle = colors.background;
    c.globalAlpha = 0.9;
    c.beginPath();
    c.roundRect(x, y, width, 22, 5);
    c.fill();
    c.globalAlpha = 1;
    c.fillStyle = colors.ink;
    c.fillText(text, x + 6, y + 15);
  }
}
