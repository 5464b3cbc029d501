// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Tables that sort by a click on a heading, and can be copied or saved.
import { csv, download, fileName, given, h, show, withUnit } from './dom';

export interface TableOptions {
  title: string; columns: { name: string; unit: string }[]; rows: (string | number | null)[][];
  pick?: (row: number) => void; note?: string;
}

const kPage = 200;  // rows shown at once

const numberOf = (cell: string | number | null): number => {
  if (typeof cell === 'number') return cell;
  if (cell === null || cell.trim() === '') return NaN;
  return Number(cell.replace('−', '-'));
};

export function table(options: TableOptions): HTMLElement {
  const { columns, rows } = options;
  let order = rows.map((_, i) => i);
  let sorted = -1;
  let descending = false;
  let shown = kPage;
  const numeric = columns.map((_, c) => rows.length > 0 && rows.every((row) => !Number.isNaN(numberOf(row[c])) || row[c] === null || row[c] === '-'));
  const body = h('tbody');
  const more = h('button', { type: 'button', class: 'save', onclick: () => { shown += 5 * kPage; fill(); } }, 'More rows');
  const fill = () => {
    body.replaceChildren(...order.slice(0, shown).map((i) => {
      const cells = rows[i].map((cell, c) => h('td', { class: numeric[c] ? 'number' : '' }, typeof cell === 'number' ? show(cell, 6) : given(cell ?? '–')));
      const row = h('tr', {}, ...cells);
      if (options.pick) {
        row.classList.add('pickable');
        row.addEventListener('click', () => options.pick!(i));
        cells[0].replaceChildren(h('button', { type: 'button', class: 'link', 'aria-label': `Show the moment of row ${i + 1}` }, ...cells[0].childNodes));
      }
      return row;
    }));
    more.hidden = order.length <= shown;
  };
  const heads = columns.map((column, c) => {
    const head = h('th', { scope: 'col', 'aria-sort': 'none', class: numeric[c] ? 'number' : '' },
      h('button', { type: 'button', onclick: () => sort(c) }, given(withUnit(column.name, column.unit)), h('span', { class: 'arrow', 'aria-hidden': 'true' })));
    return head;
  });
  const sort = (c: number) => {
    descending = sorted === c ? !descending : false;
    sorted = c;
    order = rows.map((_, i) => i).sort((a, b) => {
      const [x, y] = [rows[a][c], rows[b][c]];
      const difference = numeric[c] ? (numberOf(x) || 0) - (numberOf(y) || 0) : String(x).localeCompare(String(y));
      return (descending ? -difference : difference) || a - b;
    });
    heads.forEach((head, i) => head.setAttribute('aria-sort', i !== c ? 'none' : descending ? 'descending' : 'ascending'));
    fill();
  };
  fill();
  const header = columns.map((c) => withUnit(c.name, c.unit));
  const inOrder = () => order.map((i) => rows[i]);
  const copy = h('button', {
    type: 'button', class: 'save', 'aria-label': `Copy ${options.title}`, onclick: () => {
      const text = [header, ...inOrder()].map((row) => row.map((cell) => String(cell ?? '')).join('\t')).join('\n');
      const done = () => { copy.textContent = 'Copied'; setTimeout(() => { copy.textContent = 'Copy'; }, 1500); };
      const old = () => {
        const area = h('textarea', {});
        area.value = text;
        document.body.append(area);
        area.select();
        document.execCommand('copy');
        area.remove();
        done();
      };
      if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, old);
      else old();
    },
  }, 'Copy');
  const save = h('button', {
    type: 'button', class: 'save', 'aria-label': `Save ${options.title} as CSV`,
    onclick: () => download(fileName(options.title, 'csv'), 'text/csv', csv(header, inOrder())),
  }, 'CSV');
  return h('figure', { class: 'figure table-figure' },
    h('figcaption', {}, h('span', { class: 'figure-title' }, given(options.title)), h('span', { class: 'saves' }, copy, save)),
    options.note ? h('p', { class: 'note' }, options.note) : null,
    h('div', { class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': options.title },
      h('table', {}, h('thead', {}, h('tr', {}, ...heads)), body)), more);
}
