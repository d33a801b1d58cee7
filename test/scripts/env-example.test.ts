import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configSections } from '../../core/settings.ts';
import { renderEnvExample } from '../../scripts/env-example.ts';
import { root } from '../../scripts/lib/paths.ts';

test('.env.example says what config.ts says (npm run env-example writes it)', () => {
  expect(readFileSync(join(root, '.env.example'), 'utf8')).toBe(renderEnvExample());
});

test('every variable is there once, with a meaning, in lines of at most 120 columns', () => {
  const lines = renderEnvExample().split('\n');
  for (const [name, schema] of Object.values(configSections).flatMap((section) => Object.entries(section))) {
    expect(lines.filter((line) => line.startsWith(`# ${name}=`))).toHaveLength(1);
    expect(schema.description).toMatch(/\.$/);
  }
  expect(lines.filter((line) => line.length > 120)).toEqual([]);
});
