// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Shapes as outlines (planar) and as convex polyhedra (spatial), poses, and vectors.
import type { Numbers, Scene, Shape, Track, Vec3 } from './data';
import { rowAt } from './data';

export const add = (a: Vec3, b: Vec3): Vec3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a: Vec3, k: number): Vec3 => [a[0] * k, a[1] * k, a[2] * k];
export const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Vec3, b: Vec3): Vec3 =>
  [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const length = (a: Vec3): number => Math.hypot(a[0], a[1], a[2]);
export const unit = (a: Vec3): Vec3 => scale(a, 1 / (length(a) || 1));

/** Position and orientation: a turn about z in the plane, a quaternion w, x, y, z in space. */
export interface Pose { p: Vec3; q: [number, number, number, number] }

export const planarPose = (x: number, y: number, theta: number): Pose =>
  ({ p: [x, y, 0], q: [Math.cos(theta / 2), 0, 0, Math.sin(theta / 2)] });

export function rotate(q: Pose['q'], v: Vec3): Vec3 {
  const u: Vec3 = [q[1], q[2], q[3]];
  const t = scale(cross(u, v), 2);
  return add(add(v, scale(t, q[0])), cross(u, t));
}

export const place = (pose: Pose, v: Vec3): Vec3 => add(pose.p, rotate(pose.q, v));

/** Pose of a body at a time, between rows on the straight line and the shortest turn; null where it was not seen. */
export function poseAt(track: Track, body: number, t: number): Pose | null {
  const entry = track.poses.find((p) => p.body === body);
  if (!entry || track.time.length === 0) return null;
  const i = rowAt(track.time, t);
  const j = Math.min(i + 1, track.time.length - 1);
  const span = track.time[j] - track.time[i];
  const k = span > 0 ? Math.min(Math.max((t - track.time[i]) / span, 0), 1) : 0;
  const columns = entry.channels.map((c) => track.channels[c].values);
  const mix = (column: Numbers): number => {
    const a = column[i];
    const b = column[j];
    return k === 0 || Number.isNaN(b) ? a : Number.isNaN(a) ? b : a + k * (b - a);
  };
  if (columns.length === 3) {
    const [x, y] = [mix(columns[0]), mix(columns[1])];
    const a = columns[2][i];
    const turn = columns[2][j] - a;
    // Wrapped angles: the short way round.
    const theta = a + k * (Number.isNaN(turn) ? 0 : turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI)));
    return Number.isNaN(x + y + theta) ? null : planarPose(x, y, theta);
  }
  const p: Vec3 = [mix(columns[0]), mix(columns[1]), mix(columns[2])];
  const sign = columns[3][i] * columns[3][j] + columns[4][i] * columns[4][j] + columns[5][i] * columns[5][j] +
    columns[6][i] * columns[6][j] < 0 ? -1 : 1;
  const q = [3, 4, 5, 6].map((c) => columns[c][i] + k * (sign * columns[c][j] - columns[c][i])) as Pose['q'];
  const norm = Math.hypot(...q);
  if (!(norm > 0) || Number.isNaN(p[0] + p[1] + p[2])) return null;
  return { p, q: q.map((x) => x / norm) as Pose['q'] };
}

/** Outline of a planar shape, counter-clockwise, in the body frame. */
export function outline(shape: Shape): Vec3[] {
  const n = shape.numbers;
  const round = (a: number, b: number): Vec3[] => Array.from({ length: 72 }, (_, i) =>
    [a * Math.cos((i * Math.PI) / 36), b * Math.sin((i * Math.PI) / 36), 0]);
  switch (shape.type) {
    case 'ellipse': return round(n[0], n[1]);
    case 'circle': return round(n[0], n[0]);
    case 'rectangle': return [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([x, y]) => [(x * n[0]) / 2, (y * n[1]) / 2, 0]);
    default: return Array.from({ length: n.length / 2 }, (_, i) => [n[2 * i], n[2 * i + 1], 0]);
  }
}

/** A convex polyhedron: faces counter-clockwise from outside; `sharp` edges are drawn. */
export interface Mesh { vertices: Vec3[]; faces: number[][]; edges: [number, number][]; smooth: boolean }

function edgesOf(faces: number[][]): [number, number][] {
  const edges: [number, number][] = [];
  for (const face of faces) face.forEach((a, i) => {
    const b = face[(i + 1) % face.length];
    if (a < b) edges.push([a, b]);
  });
  return edges;
}

function ball(a: number, b: number, c: number): Mesh {
  const [rows, columns] = [14, 24];
  const vertices: Vec3[] = [[0, 0, -c]];
  for (let r = 1; r < rows; ++r) for (let k = 0; k < columns; ++k) {
    const [v, u] = [(r * Math.PI) / rows - Math.PI / 2, (2 * k * Math.PI) / columns];
    vertices.push([a * Math.cos(v) * Math.cos(u), b * Math.cos(v) * Math.sin(u), c * Math.sin(v)]);
  }
  vertices.push([0, 0, c]);
  const at = (r: number, k: number) => 1 + (r - 1) * columns + (k % columns);
  const faces: number[][] = [];
  const edges: [number, number][] = [];
  for (let k = 0; k < columns; ++k) {
    faces.push([0, at(1, k + 1), at(1, k)], [vertices.length - 1, at(rows - 1, k), at(rows - 1, k + 1)]);
    edges.push([at(rows / 2, k), at(rows / 2, k + 1)]);
    for (let r = 1; r < rows - 1; ++r) faces.push([at(r, k), at(r, k + 1), at(r + 1, k + 1), at(r + 1, k)]);
  }
  // Two meridians show the turning.
  for (const k of [0, columns / 2]) for (let r = 0; r < rows; ++r)
    edges.push([r === 0 ? 0 : at(r, k), r === rows - 1 ? vertices.length - 1 : at(r + 1, k)]);
  return { vertices, faces, edges, smooth: true };
}

function cylinder(radius: number, len: number, axis: Vec3): Mesh {
  const z = unit(axis);
  const x = unit(cross(Math.abs(z[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0], z));
  const y = cross(z, x);
  const n = 32;
  const vertices: Vec3[] = [];
  for (const end of [-0.5, 0.5]) for (let k = 0; k < n; ++k) {
    const u = (2 * k * Math.PI) / n;
    vertices.push(add(add(scale(x, radius * Math.cos(u)), scale(y, radius * Math.sin(u))), scale(z, end * len)));
  }
  const faces: number[][] = [Array.from({ length: n }, (_, k) => n - 1 - k), Array.from({ length: n }, (_, k) => n + k)];
  const edges: [number, number][] = [];
  for (let k = 0; k < n; ++k) {
    const next = (k + 1) % n;
    faces.push([k, next, n + next, n + k]);
    edges.push([k, next], [n + k, n + next]);
  }
  edges.push([0, n], [0, n / 2], [n, n + n / 2]);
  return { vertices, faces, edges, smooth: false };
}

/** A spatial shape in the body frame; a small octahedron where the body has none. */
export function mesh(shape: Shape | null): Mesh {
  const n = shape?.numbers ?? [];
  switch (shape?.type) {
    case 'box': {
      const vertices: Vec3[] = [];
      for (const z of [-0.5, 0.5]) for (const [x, y] of [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
        vertices.push([x * n[0], y * n[1], z * n[2]]);
      const faces = [[3, 2, 1, 0], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];
      return { vertices, faces, edges: edgesOf(faces), smooth: false };
    }
    case 'sphere': return ball(n[0], n[0], n[0]);
    case 'ellipsoid': return ball(n[0], n[1], n[2]);
    case 'cylinder': return cylinder(n[0], n[1], n.length >= 5 ? [n[2], n[3], n[4]] : [0, 0, 1]);
    case 'polytope': return { vertices: shape.vertices!, faces: shape.faces!, edges: edgesOf(shape.faces!), smooth: false };
    default: return { vertices: [], faces: [], edges: [], smooth: false };
  }
}

/** Half the size of a body, for framing. */
export function radiusOf(shape: Shape | null, planar: boolean): number {
  if (!shape) return 0;
  const points = planar ? outline(shape) : mesh(shape).vertices;
  return points.reduce((r, p) => Math.max(r, length(p)), 0);
}

export interface Bounds { lo: Vec3; hi: Vec3 }

/** Box round everything that moves in the given tracks, and obstacles. */
export function boundsOf(scene: Scene, tracks: Track[]): Bounds {
  const lo: Vec3 = [Infinity, Infinity, Infinity];
  const hi: Vec3 = [-Infinity, -Infinity, -Infinity];
  const planar = scene.space === 'planar';
  const include = (p: Vec3, r: number) => {
    for (let i = 0; i < 3; ++i) {
      if (!Number.isFinite(p[i])) return;
      lo[i] = Math.min(lo[i], p[i] - r);
      hi[i] = Math.max(hi[i], p[i] + r);
    }
  };
  for (const track of tracks) for (const pose of track.poses) {
    const r = radiusOf(scene.bodies[pose.body].shape, planar);
    const stride = Math.max(1, Math.floor(track.time.length / 2000));
    const c = pose.channels.map((k) => track.channels[k].values);
    for (let i = 0; i < track.time.length; i += stride) include([c[0][i], c[1][i], planar ? 0 : c[2][i]], r);
  }
  for (const body of scene.bodies) if (body.fixed && body.pose)
    include([body.pose[0], body.pose[1], planar ? 0 : body.pose[2]], radiusOf(body.shape, planar));
  for (const joint of scene.joints) if (joint.parent < 0) include(joint.parent_frame.point, 0.02);
  if (!(lo[0] <= hi[0])) return { lo: [-1, -1, -1], hi: [1, 1, 1] };
  return { lo, hi };
}
