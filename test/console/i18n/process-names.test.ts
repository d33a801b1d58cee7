import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '#scripts/lib/paths.ts';
import { importStates } from '#core/imports/states.ts';
import { reportResolutions } from '#core/links/report.ts';
import { processNames } from '#console/staff/pages/process-words.ts';

const sources = globSync('workflows/**/*.ts', { cwd: root }).map((path) => readFileSync(`${root}/${path}`, 'utf8'));
const quoted = (text: string): string[] => [...text.matchAll(/(?<!\[)'([^']+)'/g)].map(([, value = '']) => value);

test('every state and next step that workflows write has a German name', () => {
  const { states, steps } = processNames.de;
  const unions = sources.flatMap((text) => [...text.matchAll(/^(?:export )?type \w+State = ([^;]+);/gm)]);
  const written = unions.flatMap(([, union = '']) => quoted(union));
  expect(written.length).toBeGreaterThan(20);
  const allStates = [...written, ...importStates, ...reportResolutions, 'gone'];
  expect(allStates.filter((state) => states[state] === undefined)).toEqual([]);
  const tables = sources.flatMap((text) => [...text.matchAll(/nextSteps: [^=]+= \{([^}]+)\}/g)]);
  const lines = sources.flatMap((text) => [
    ...text.matchAll(/\bnextStep(?::| =)([^\n]+?)(?:, openForMs|, nextAt|\n)/g),
  ]);
  const allSteps = [...tables, ...lines].flatMap(([, part = '']) => quoted(part)).filter((step) => step !== 'deleted');
  expect(allSteps.length).toBeGreaterThan(9);
  expect(allSteps.filter((step) => steps[step] === undefined)).toEqual([]);
});
