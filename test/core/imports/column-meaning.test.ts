import { describe, expect, it } from 'vitest';
import { readColumnMeaning } from '#core/imports/column-meaning.ts';
import { createRowReader, findIgnoredColumns } from '#core/imports/rows/row-reader.ts';
import { columnNames } from './column-names.ts';

const now = new Date('2026-06-01T00:00:00Z');

/** The link of a CSV's row with one column more. */
function read(name: string, value: string) {
  const { body, problems } = createRowReader('csv', ['slug', 'destination', name], { now })([
    'a',
    'https://example.com/',
    value,
  ]);
  return { body, problems };
}

const open = read('other', 'x');

/** A value of which a link is not open and alive, by what the column means. */
const closing = {
  protected: ['x', '2020-01-01'],
  limited: ['2020-01-01', '5'],
  remaining: ['0', '3'],
  start: ['2099-01-01'],
  open: ['no', 'private'],
};

const names = (list: string): string[] => list.split(',');

describe.each(Object.entries(columnNames))('columns in %s', (_language, { harmless, ...byMeaning }) => {
  it.each(Object.entries(byMeaning))('that are %s are taken over, or fail their rows', (meaning, list) => {
    for (const name of names(list)) {
      expect([name, findIgnoredColumns('csv', ['slug', 'destination', name])]).toEqual([name, []]);
      for (const value of closing[meaning as keyof typeof closing])
        expect([name, value, read(name, value)]).not.toEqual([name, value, open]);
    }
  });

  it('that say nothing of protection are ignored', () => {
    for (const name of names(harmless)) expect([name, readColumnMeaning(name)]).toEqual([name, undefined]);
  });

  it('are at least 30 that protect and 30 that do not', () => {
    expect(Object.values(byMeaning).flatMap(names).length).toBeGreaterThanOrEqual(30);
    expect(names(harmless).length).toBeGreaterThanOrEqual(30);
  });
});

it.each([
  ['Sichtbarkeit', 'öffentlich', 'jeder'],
  ['Visibilité', 'Publique', 'tout le monde'],
  ['Visibilidad', 'Público', 'todo el mundo'],
  ['Visibilità', 'pubblico', 'chiunque'],
  ['Visibilidade', 'público', 'todos'],
  ['Zichtbaarheid', 'openbaar', 'iedereen'],
  ['Situação', 'Ativo', 'sim'],
  ['Arquivado', 'não', 'falso'],
  ['Klickgrenze', 'unbegrenzt', ''],
  ['Disponible à partir de', '2020-01-01', '0'],
])('%s of a link that is open and alive fails no row', (name, ...values) => {
  for (const value of values) expect([value, read(name, value)]).toEqual([value, open]);
});

it('a row of a file of five such columns fails with the name of each', () => {
  const header = [
    'slug',
    'destination',
    'Data de validade',
    'Arquivado',
    'Verbleibende Klicks',
    'Deshabilitado',
    'Clave',
  ];
  const row = ['zp', 'https://p.example/', '2020-01-01', 'sim', '0', 'sí', 'geheim'];
  const { problems } = createRowReader('csv', header, { now })(row);
  expect(problems.map(({ path }) => path)).toEqual(header.slice(2));
});
