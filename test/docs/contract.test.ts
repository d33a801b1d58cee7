import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const contract = readFileSync(join(root, 'docs/contract.md'), 'utf8');
const rules = new Set([...contract.matchAll(/<a id="(\d+\.\d+)"><\/a>/g)].map(([, number]) => number));

// A rule in parentheses, alone or among others: "(4.13)", "(2.2, 2.8)". Sections count from 1 to 13.
const rule = String.raw`(?:1[0-3]|[1-9])\.\d{1,2}`;
const inParentheses = new RegExp(String.raw`\((${rule}(?:, ${rule})*)\)`, 'g');
const linked = /contract\.md#(\d+\.\d+)/g;

describe('docs/contract.md', () => {
  it('has one anchor for each rule, in order, and the anchor stands before its rule', () => {
    const anchors = [...contract.matchAll(/<a id="(\d+)\.(\d+)"><\/a>\n+\*\*(\d+)\.(\d+) /g)].map((match) =>
      match.slice(1).map(Number),
    );
    expect(anchors.length).toBe(rules.size);
    expect(anchors.length).toBeGreaterThan(90);
    for (const [section, number, ofSection, ofNumber] of anchors)
      expect([ofSection, ofNumber]).toEqual([section, number]);
    const order = anchors.map(([section = 0, number = 0]) => section * 100 + number);
    expect(order).toEqual(order.toSorted((one, other) => one - other));
  });

  it('holds every rule that code, tests and documents cite', () => {
    const files = execFileSync('git', ['ls-files', '*.ts', '*.mjs', '*.md'], { cwd: root, encoding: 'utf8' })
      .split('\n')
      .filter((file) => file !== '');
    const unknown = files.flatMap((file) =>
      citedIn(file)
        .filter((number) => !rules.has(number))
        .map((number) => `${file}: ${number}`),
    );
    expect(unknown).toEqual([]);
    expect(files.flatMap(citedIn).length).toBeGreaterThan(200);
  });
});

/** The numbers of rules that comments and prose of a file cite. */
function citedIn(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const lists = [...text.matchAll(inParentheses)].flatMap(([, numbers = '']) => numbers.split(', '));
  return [...lists, ...[...text.matchAll(linked)].map(([, number = '']) => number)];
}
