import type { Issue } from '#core/errors/errors.ts';
import { plainFields, type PlainName, plainNames } from '#core/links/fields.ts';
import { columnName } from '#core/imports/formats.ts';
import { plainAliases, unlimited } from '#core/imports/protection.ts';
import { toActive, toCount, toFlag } from './cells.ts';
import type { DateCell, Row } from './row.ts';

/** Columns that are named like plain fields of a link, or by another name that we know. */
export function readPlain({ text, date }: Row, problems: Issue[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const name of plainNames) {
    const names = plainColumns(name);
    const { kind } = plainFields[name];
    if (kind === 'moment') fields[name] = readEnd(name, date, problems);
    // The schema of a create checks the others.
    else if (kind === 'text') fields[name] = text(...names);
    else if (kind === 'count') fields[name] = readCap(names, text, problems);
    else if (name === 'isActive') fields[name] = strictest(names.map((one) => toActive(text(one))));
    else fields[name] = strictest(names.map((one) => toFlag(text(one))));
  }
  return fields;
}

/** The least of some caps. */
function readCap(names: readonly string[], text: Row['text'], problems: Issue[]): unknown {
  const cells = names.flatMap((name) => text(name) ?? []).filter((cell) => !unlimited.test(cell));
  if (cells.some((cell) => /^-?0$|^-\d+$/.test(cell)))
    problems.push({
      path: 'maxClicks',
      message: 'may mean no cap or no clicks left; leave the cell empty where there is no cap',
    });
  return strictest(cells.filter((cell) => !/^-?\d+$/.test(cell) || Number(cell) > 0).map(toCount));
}

/** The first of some moments, where a link has several ends. */
function readEnd(name: PlainName, date: Row['date'], problems: Issue[]): string | undefined {
  const cells = plainColumns(name).flatMap((one) => date([one], unlimited) ?? []);
  const wrong = cells.find(({ at }) => !(at instanceof Date));
  if (wrong !== undefined) addDateProblem(name, wrong.at, problems);
  return cells
    .flatMap(({ at }) => (at instanceof Date ? at.toISOString() : []))
    .toSorted()
    .at(0);
}

/** Of several columns for a field one that cannot be read, which the schema refuses, else the least number, else false. */
function strictest(values: readonly (boolean | number | string | undefined)[]): unknown {
  const known = values.filter((value) => value !== undefined);
  return (
    known.find((value) => typeof value === 'string') ?? known.toSorted((one, other) => Number(one) - Number(other))[0]
  );
}

/** The names of columns that hold a plain field, the one that counts first. */
export function plainColumns(name: PlainName): readonly string[] {
  return [columnName(name), ...(plainAliases[name] ?? [])];
}

// Messages quote no values: rows that fail for one reason have one message.
export function addDateProblem(path: string, at: DateCell['at'], problems: Issue[]): void {
  if (at === undefined)
    problems.push({ path, message: 'is no moment from 1970 on that can be read; write it like 2026-05-31T08:00:00Z' });
  if (at === 'ambiguous')
    problems.push({
      path,
      message: 'may have the day or the month first, and no row of this column tells; write it like 2026-05-31',
    });
}
