// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Draws spatial scenes with three.js.
import {
  BufferAttribute, BufferGeometry, CanvasTexture, Color, DirectionalLight, DoubleSide, Group, HemisphereLight, LineBasicMaterial,
  LineSegments, Matrix4, Mesh as Solid, MeshBasicMaterial, MeshLambertMaterial, PerspectiveCamera, Quaternion,
  RepeatWrapping, Scene as Space, SRGBColorSpace, WebGLRenderer,
} from 'three';
import type { Surface, Vec3 } from './data';
import { add, cross, dot, mesh, scale, sub, unit } from './geometry';
import { planeRange } from './painter';
import { View, type Colors, type Frame, type Renderer, type StageScene } from './stage';

const kLight = unit([0.4, -0.55, 0.95]);
const vec = (a: number[]): Vec3 => [a[0], a[1], a[2] ?? 0];

interface Actor { group: Group; faces: MeshLambertMaterial; edges: LineBasicMaterial; shadow: Solid | null; body: number; ghost: boolean }
interface Floor { material: MeshBasicMaterial; texture: CanvasTexture; surface: Surface; tile: number }

/** Without a graphics processor every sample of a pixel is paid for. */
function rendersInSoftware(): boolean {
  const context = document.createElement('canvas').getContext('webgl2');
  const info = context?.getExtension('WEBGL_debug_renderer_info');
  const name = info ? String(context!.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

export class GlRenderer implements Renderer {
  readonly canvas: HTMLCanvasElement;
  private renderer: WebGLRenderer;
  private space = new Space();
  private camera = new PerspectiveCamera();
  private actors: Actor[] = [];
  private floors: Floor[] = [];
  private shadowMatrix: Matrix4 | null = null;
  private painted = '';

  /** Throws where there is no WebGL. */
  constructor(private stage: StageScene) {
    const canvas = document.createElement('canvas');
    this.renderer = new WebGLRenderer({ canvas, antialias: !rendersInSoftware() });
    this.canvas = this.renderer.domElement;
    const sun = new DirectionalLight(0xffffff, 2.1);
    sun.position.set(...kLight);
    this.space.add(sun, new HemisphereLight(0xffffff, 0x8a94a6, 1.5));
    for (const surface of stage.scene.surfaces) this.addFloor(surface);
    this.shadowMatrix = this.makeShadowMatrix();
    stage.scene.bodies.forEach((_, body) => {
      this.addActor(body, true);
      this.addActor(body, false);
    });
  }

  resize(width: number, height: number, ratio: number): void {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
  }

  dispose(): void { this.renderer.dispose(); this.renderer.forceContextLoss(); }

  draw(frame: Frame, view: View, colors: Colors): void {
    if (this.painted !== JSON.stringify(colors)) this.paint(colors);
    for (const actor of this.actors) actor.group.visible = false;
    for (const actor of this.actors) if (actor.shadow) actor.shadow.visible = false;
    for (const placed of frame.bodies) {
      const actor = this.actors[2 * placed.body + (placed.ghost ? 0 : 1)];
      const [w, x, y, z] = placed.pose.q;
      actor.group.visible = true;
      actor.group.position.set(...placed.pose.p);
      actor.group.quaternion.copy(new Quaternion(x, y, z, w));
      actor.group.updateMatrixWorld();
      if (actor.shadow && this.shadowMatrix) {
        actor.shadow.visible = true;
        actor.shadow.matrix.multiplyMatrices(this.shadowMatrix, actor.group.matrixWorld);
      }
    }
    for (const floor of this.floors) {
      const v = vec(floor.surface.velocity);
      floor.texture.offset.set(-(dot(v, vec(floor.surface.axes[0])) * frame.time) / floor.tile,
        -(dot(v, vec(floor.surface.axes[1])) * frame.time) / floor.tile);
    }
    const [, up] = view.axes();
    this.camera.fov = (View.fov * 180) / Math.PI;
    this.camera.aspect = view.width / view.height;
    this.camera.near = view.distance * 0.02;
    this.camera.far = view.distance * 50;
    this.camera.position.set(...view.eye());
    this.camera.up.set(...up);
    this.camera.lookAt(...view.target);
    this.camera.updateProjectionMatrix();
    this.renderer.render(this.space, this.camera);
  }

  private geometry(body: number): { faces: BufferGeometry; edges: BufferGeometry } {
    const solid = mesh(this.stage.scene.bodies[body].shape);
    const positions: number[] = [];
    const normals: number[] = [];
    for (const face of solid.faces) {
      const flat = unit(cross(sub(solid.vertices[face[1]], solid.vertices[face[0]]),
        sub(solid.vertices[face[2]], solid.vertices[face[0]])));
      for (let i = 1; i + 1 < face.length; ++i) for (const k of [face[0], face[i], face[i + 1]]) {
        positions.push(...solid.vertices[k]);
        normals.push(...(solid.smooth ? unit(solid.vertices[k]) : flat));
      }
    }
    const faces = new BufferGeometry();
    faces.setAttribute('position', new BufferAttribute(new Float32Array(positions), 3));
    faces.setAttribute('normal', new BufferAttribute(new Float32Array(normals), 3));
    const edges = new BufferGeometry();
    edges.setAttribute('position', new BufferAttribute(
      new Float32Array(solid.edges.flatMap(([a, b]) => [...solid.vertices[a], ...solid.vertices[b]])), 3));
    return { faces, edges };
  }

  private addActor(body: number, ghost: boolean): void {
    const { faces, edges } = this.geometry(body);
    const material = new MeshLambertMaterial({
      transparent: ghost, opacity: ghost ? 0.22 : 1, depthWrite: !ghost, polygonOffset: true, polygonOffsetFactor: 1,
      polygonOffsetUnits: 1,
    });
    const lines = new LineBasicMaterial({ transparent: true, opacity: ghost ? 0.9 : 0.75 });
    const group = new Group();
    group.add(new Solid(faces, material), new LineSegments(edges, lines));
    if (ghost) group.renderOrder = 2;
    let shadow: Solid | null = null;
    if (!ghost && this.shadowMatrix) {
      shadow = new Solid(faces, new MeshBasicMaterial({
        color: 0x000000, transparent: true, opacity: 0.2, depthWrite: false, polygonOffset: true, polygonOffsetFactor: -2,
        polygonOffsetUnits: -2,
      }));
      shadow.matrixAutoUpdate = false;
      shadow.frustumCulled = false;
      shadow.renderOrder = 1;
      this.space.add(shadow);
    }
    this.space.add(group);
    this.actors.push({ group, faces: material, edges: lines, shadow, body, ghost });
  }

  /** Projection along the light on the highest surface that looks up. */
  private makeShadowMatrix(): Matrix4 | null {
    const up = this.stage.scene.surfaces.filter((s) => s.axes[2][2] > 0.5);
    if (up.length === 0) return null;
    const surface = up.reduce((a, b) => (b.point[2] > a.point[2] ? b : a));
    const n = vec(surface.axes[2]);
    const d = dot(n, vec(surface.point));
    const l = kLight;
    const nl = dot(n, l);
    const m = new Matrix4();
    // x - l (n.x - d) / (n.l), lifted by a hair
    m.set(1 - (l[0] * n[0]) / nl, -(l[0] * n[1]) / nl, -(l[0] * n[2]) / nl, (l[0] * d) / nl,
      -(l[1] * n[0]) / nl, 1 - (l[1] * n[1]) / nl, -(l[1] * n[2]) / nl, (l[1] * d) / nl,
      -(l[2] * n[0]) / nl, -(l[2] * n[1]) / nl, 1 - (l[2] * n[2]) / nl, (l[2] * d) / nl, 0, 0, 0, 1);
    return m;
  }

  private addFloor(surface: Surface): void {
    const { lo, hi } = planeRange(surface, this.stage);
    const [ex, ey] = [vec(surface.axes[0]), vec(surface.axes[1])];
    const at = (x: number, y: number): Vec3 => add(vec(surface.point), add(scale(ex, x), scale(ey, y)));
    const corners = [[lo[0], lo[1]], [hi[0], lo[1]], [hi[0], hi[1]], [lo[0], hi[1]]];
    const geometry = new BufferGeometry();
    const moving = Math.hypot(...surface.velocity) > 0;
    const reach = Math.max(...this.stage.bounds.hi.map((h, i) => h - this.stage.bounds.lo[i]));
    const raw = reach / (moving ? 6 : 10);
    const power = 10 ** Math.floor(Math.log10(raw));
    const tile = power * ([1, 2, 5, 10].find((m) => m * power >= raw) ?? 10);
    const order = [0, 1, 2, 0, 2, 3];
    geometry.setAttribute('position', new BufferAttribute(
      new Float32Array(order.flatMap((i) => at(corners[i][0], corners[i][1]))), 3));
    geometry.setAttribute('uv', new BufferAttribute(
      new Float32Array(order.flatMap((i) => [corners[i][0] / tile, corners[i][1] / tile])), 2));
    const texture = new CanvasTexture(document.createElement('canvas'));
    texture.wrapS = texture.wrapT = RepeatWrapping;
    texture.colorSpace = SRGBColorSpace;
    texture.anisotropy = 4;
    const material = new MeshBasicMaterial({ map: texture, side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 2 });
    this.space.add(new Solid(geometry, material));
    this.floors.push({ material, texture, surface, tile });
  }

  /** One tile: a grid, and on a conveyor an arrowhead that points the way it runs. */
  private paintTile(floor: Floor, colors: Colors): void {
    const canvas = floor.texture.image as HTMLCanvasElement;
    canvas.width = canvas.height = 128;
    const c = canvas.getContext('2d')!;
    const moving = Math.hypot(...floor.surface.velocity) > 0;
    c.fillStyle = moving ? colors.belt : colors.ground;
    c.fillRect(0, 0, 128, 128);
    c.strokeStyle = colors.tile;
    c.lineWidth = 4;
    c.strokeRect(0, 0, 128, 128);
    const v = vec(floor.surface.velocity);
    const [x, y] = [dot(v, vec(floor.surface.axes[0])), dot(v, vec(floor.surface.axes[1]))];
    if (Math.hypot(x, y) > 0) {
      c.translate(64, 64);
      c.rotate(Math.atan2(-y, x));
      c.strokeStyle = colors.faint;
      c.lineWidth = 7;
      c.beginPath();
      c.moveTo(-16, -26); c.lineTo(16, 0); c.lineTo(-16, 26);
      c.stroke();
    }
    floor.texture.needsUpdate = true;
  }

  private paint(colors: Colors): void {
    this.painted = JSON.stringify(colors);
    this.space.background = new Color(colors.background);
    for (const floor of this.floors) this.paintTile(floor, colors);
    for (const actor of this.actors) {
      const fixed = this.stage.scene.bodies[actor.body].fixed;
      const own = actor.body === 0 ? colors.fitted : colors.bodies[actor.body % colors.bodies.length];
      const color = actor.ghost ? colors.recorded : fixed ? colors.faint : own;
      actor.faces.color.set(color);
      actor.edges.color.set(actor.ghost ? color : colors.ink);
    }
  }
}

