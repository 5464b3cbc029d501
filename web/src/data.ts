// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What the program put into the page: JSON, and columns in one block of bytes (src/report/page/page_data.h).

export interface Column { at: number; n: number; type: 'f4' | 'f8' | 'u1' | 'u2' }
export type Numbers = Float32Array | Float64Array | Uint8Array | Uint16Array;
export type Tone = 'neutral' | 'good' | 'caution' | 'bad';
export type Group = 'pose' | 'velocity' | 'joint' | 'energy' | 'input' | 'other' | 'placed';

export interface Channel { name: string; unit: string; group: Group; angle: boolean; values: Numbers }
export interface Track {
  kind: 'recorded' | 'fitted' | 'simulated' | 'predicted'; rows: number; time: Numbers;
  channels: Channel[]; poses: { body: number; channels: number[] }[];
}
export interface Contact {
  time: number; duration: number; pair: number; contact: number; slides: boolean; impact: boolean; hasPoint: boolean;
  normal: number; tangential: [number, number]; point: Vec3; impulse: Vec3;
}
export interface Motion {
  name: string; note: string; used: boolean; chi2: number | null; noisePosition: number | null; noiseAngle: number | null;
  tracks: Track[]; contacts: Contact[]; contactRows: number; impacts: Contact[]; begin: number; end: number;
}
export type Vec3 = [number, number, number];
export interface Shape { type: string; numbers: number[]; vertices?: Vec3[]; faces?: number[][] }
export interface Body { name: string; fixed: boolean; shape: Shape | null; center_of_mass: number[]; pose?: number[] }
export interface Surface { name: string; extent: number[]; point: number[]; axes: number[][]; velocity: number[] }
export interface Joint {
  name: string; type: string; parent: number; child: number;
  parent_frame: { point: Vec3; axis: Vec3 }; child_frame: { point: Vec3; axis: Vec3 };
}
export interface Scene { space: 'planar' | 'spatial'; gravity: number[]; bodies: Body[]; surfaces: Surface[]; joints: Joint[] }
export interface Parameter {
  path: string; unit: string; start: number | null; value: number | null; std: number | null; lower: number | null;
  upper: number | null; identifiable: boolean; combination: string;
}
/** Optimization trace of one stage of a fit: its start, then every step. */
export interface Stage { name: string; cost: Numbers; step: Numbers }
export interface Estimate {
  parameters: Parameter[]; correlation: Numbers; method: string; choice: string; verdict: string; converged: boolean; cost: number | null;
  chi2_per_dof: number | null; iterations: number; seconds: number; warnings: string[]; log: string[]; trace: Stage[];
}
export interface CostAxis {
  path: string; unit: string; values: number[]; minimum: number | null; lower: number | null; upper: number | null;
}
export interface CostMap { title: string; unit: string; axes: CostAxis[]; cost: (number | null)[]; threshold: number | null }
export interface RestPose { x: number; y: number; yaw: number; outline?: [number, number][] }
export interface Rest {
  recording: string; measured: RestPose | null; predicted: RestPose | null; covariance: Vec3 | null; face_correct: boolean;
  region: number;
}
export interface Forecast { recording: string; faces: string[]; probabilities: number[]; measured: string }
export interface Check { what: string; stated: number; found: number; count: number }
export interface Fan { recording: string; path: string; unit: string; values: number[]; poses: RestPose[]; measured: RestPose | null }
export interface Evaluation {
  evaluation: string; cost_maps: CostMap[]; footprint: [number, number][]; rest: Rest[]; level: number; fans: Fan[];
  faces: Forecast[]; checks: Check[];
  errors: {
    metrics: { name: string; unit: string }[]; recordings: string[];
    models: { name: string; values: (number | null)[][] }[];
  };
}
export interface Table { title: string; columns: { name: string; unit: string }[]; rows: string[][] }
export interface Provenance {
  version: string; commit: string; written: string; command_line: string[]; inputs: { name: string; sha256: string }[];
  options: [string, string][]; scene_text: string; calibrated_text: string;
}
export interface Report {
  title: string; command: string; summary: { tone: Tone; text: string }[]; scene: Scene; pairs: string[];
  motions: Motion[]; estimate: Estimate | null; evaluation: Evaluation; tables: Table[]; provenance: Provenance;
}

function decodeBase64(text: string): ArrayBuffer {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}

export function readReport(): Report {
  const json = JSON.parse(document.getElementById('ricochet-json')!.textContent!);
  const element = document.getElementById('ricochet-bytes')!;
  const buffer = decodeBase64(element.textContent!);
  element.textContent = '';
  const column = (c: Column): Numbers => {
    switch (c.type) {
      case 'f4': return new Float32Array(buffer, c.at, c.n);
      case 'f8': return new Float64Array(buffer, c.at, c.n);
      case 'u1': return new Uint8Array(buffer, c.at, c.n);
      case 'u2': return new Uint16Array(buffer, c.at, c.n);
    }
  };
  const readContacts = (c: any): Contact[] => {
    const [time, duration, pair, contact, flags, normal] =
      [c.time, c.duration, c.pair, c.contact, c.flags, c.normal].map(column);
    const [tangential, point, impulse] = [c.tangential, c.point, c.impulse].map((list: Column[]) => list.map(column));
    return Array.from(time, (t, i) => ({
      time: t, duration: duration[i], pair: pair[i], contact: contact[i], slides: (flags[i] & 1) > 0,
      impact: (flags[i] & 2) > 0, hasPoint: (flags[i] & 4) > 0, normal: normal[i],
      tangential: [tangential[0][i], tangential[1][i]], point: [point[0][i], point[1][i], point[2][i]],
      impulse: [impulse[0][i], impulse[1][i], impulse[2][i]],
    }));
  };
  const readMotion = (m: any): Motion => {
    const tracks: Track[] = m.tracks.map((track: any) => ({
      ...track, time: column(track.time),
      channels: track.channels.map((channel: any) => ({ ...channel, values: column(channel.data) })),
    }));
    const contacts = readContacts(m.contacts);
    let begin = Infinity;
    let end = -Infinity;
    for (const track of tracks) {
      if (track.time.length === 0) continue;
      begin = Math.min(begin, track.time[0]);
      end = Math.max(end, track.time[track.time.length - 1]);
    }
    if (!(begin <= end)) begin = end = 0;
    return {
      name: m.name, note: m.note, used: m.used, chi2: m.chi2_per_dof, noisePosition: m.noise_position,
      noiseAngle: m.noise_angle, tracks, contacts, contactRows: m.contacts.rows,
      impacts: contacts.filter((c) => c.impact).sort((a, b) => a.time - b.time), begin, end,
    };
  };
  return {
    ...json, motions: json.motions.map(readMotion),
    estimate: json.estimate && {
      ...json.estimate, correlation: column(json.estimate.correlation),
      trace: json.estimate.trace.map((stage: any) => ({ name: stage.name, cost: column(stage.cost), step: column(stage.step) })),
    },
  };
}

/** Index of the last entry that is at most `t`; 0 before the first. */
export function rowAt(time: Numbers, t: number): number {
  let lo = 0;
  let hi = time.length - 1;
  while (lo < hi) {
    const middle = (lo + hi + 1) >> 1;
    if (time[middle] <= t) lo = middle;
    else hi = middle - 1;
  }
  return lo;
}
