import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plans, type Quota } from '#core/organizations/plans.ts';

const root = join(import.meta.dirname, '../..');

interface Row {
  limit: string;
  value: string;
  file: string;
  name: string;
}

/** Rows of docs/limits.md whose last column is "`file`: `name`". */
const rows: Row[] = readFileSync(join(root, 'docs/limits.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, limit = '', value = '', file = '', name = ''] =
      /^\| (.+?) +\| (.+?) +\| `([\w/.-]+\.ts)`: `(\w+)` +\|$/.exec(line) ?? [];
    return file === '' ? [] : [{ limit, value, file, name }];
  });

describe('docs/api/limits.md', () => {
  it('has the quotas of the plans', () => {
    const guide = readFileSync(join(root, 'docs/api/limits.md'), 'utf8');
    const shown = new Map(
      [...guide.matchAll(/^\| ([A-Z][^|]+?) +\| ([\d,]+|no limit) +\| ([\d,]+|no limit) +\|$/gm)].map(
        ([, name = '', free, premium]) => [name, [free, premium]],
      ),
    );
    const text = (quota: number | null): string => quota?.toLocaleString('en-US') ?? 'no limit';
    const names = {
      shortLinks: 'Short links',
      domains: 'Own domains',
      tags: 'Tags',
      folders: 'Folders, beside the first one',
      webhooks: 'Webhooks',
      fileBytes: 'Bytes of all files',
    } satisfies Record<Quota, string>;
    for (const [quota, name] of Object.entries(names) as [Quota, string][])
      expect([name, shown.get(name)]).toEqual([name, [text(plans.free[quota]), text(plans.premium[quota])]]);
  });
});

describe('docs/limits.md', () => {
  it('names what its files declare', () => {
    expect(rows.length).toBeGreaterThan(50);
    expect(rows.filter((row) => declarationOf(row) === undefined)).toEqual([]);
  });

  it('gives the numbers that its files declare', () => {
    const compared = rows
      .map((row) => ({ ...row, declared: numberOf(declarationOf(row) ?? ''), shown: firstNumber(row.value) }))
      .filter(({ declared, shown }) => declared !== undefined && shown !== undefined);
    expect(compared.length).toBeGreaterThan(45);
    expect(compared.filter(({ declared, shown }) => declared !== shown)).toEqual([]);
  });
});

/** The text behind `name =` or `name:` in a file, up to the line's end, or that of its default. */
function declarationOf({ file, name }: Row): string | undefined {
  const text = readFileSync(join(root, file), 'utf8');
  return new RegExp(`\\b${name}(?:: [\\w<>[\\], ]+)?(?: =|:) ([^;]+?(?:\\n\\s+\\.default\\([^;]+?)?)[;\\n]`).exec(
    text,
  )?.[1];
}

/** A default, a product of numbers, or the first number among a call's arguments; undefined: the declaration is no number. */
function numberOf(declaration: string): number | undefined {
  const given = /\.default\((\d[\d_]*)\)/.exec(declaration)?.[1];
  const product = given ?? /^['"`[]?(?:interval '|\w[\w.]*\(['"]?)?(\d[\d_]*(?: \* \d[\d_]*)*)/.exec(declaration)?.[1];
  return product
    ?.split(' * ')
    .map((factor) => Number(factor.replaceAll('_', '')))
    .reduce((left, right) => left * right, 1);
}

function firstNumber(value: string): number | undefined {
  const found = /^\d[\d,]*/.exec(value)?.[0].replace(/,$/, '');
  return found === undefined ? undefined : Number(found.replaceAll(',', ''));
}
