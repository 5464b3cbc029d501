// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Elements by function. Text only ever becomes text nodes and attributes, so that whatever a file holds is shown, not run.

type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, unknown>;

function apply(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value as EventListener);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(typeof child === 'number' ? String(child) : child);
  }
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  apply(element, attributes, children);
  return element;
}

export function s<K extends keyof SVGElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  apply(element, attributes, children);
  return element;
}

/** Text from a file, kept from changing the direction of what is around it. */
export const given = (text: string): HTMLElement => h('bdi', {}, text);

/** An icon from a path in a 24 x 24 box. */
export function icon(path: string): SVGSVGElement {
  return s('svg', { viewBox: '0 0 24 24', width: 20, height: 20, 'aria-hidden': 'true', class: 'icon' },
    s('path', { d: path }));
}

export function button(label: string, path: string | null, onclick: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return h('button', { type: 'button', title: label, 'aria-label': label, onclick, ...attributes }, path ? icon(path) : label);
}

/** A number for people: about `digits` digits, no needless zeros. */
export function show(value: number | null | undefined, digits = 5): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  const text = Number(value.toPrecision(digits));
  const size = Math.abs(text);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) {
    const [mantissa, power] = text.toExponential().split('e');
    return `${mantissa}e${Number(power)}`.replace('-', '−').replace('e-', 'e−');
  }
  return String(text).replace('-', '−');
}

export function unitText(unit: string): string {
  return unit && unit !== '-' ? unit : '';
}

export function withUnit(name: string, unit: string): string {
  return unitText(unit) ? `${name} [${unit}]` : name;
}

export function download(name: string, type: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = h('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export const fileName = (title: string, extension: string): string =>
  `${title.toLowerCase().replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '').slice(0, 60) || 'ricochet'}.${extension}`;

export type Row = (string | number | null)[];

/** CSV (RFC 4180). A cell that a spreadsheet would take for a formula is quoted as text. */
export function csv(header: string[], rows: Iterable<Row>): string {
  const cell = (value: string | number | null): string => {
    if (value === null || (typeof value === 'number' && Number.isNaN(value))) return '';
    if (typeof value === 'number') return String(value);
    const text = /^[=+\-@\t\r]/.test(value) && Number.isNaN(Number(value)) ? `'${value}` : value;
    return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  const lines = [header.map(cell).join(',')];
  for (const row of rows) lines.push(row.map(cell).join(','));
  return `${lines.join('\n')}\n`;
}
