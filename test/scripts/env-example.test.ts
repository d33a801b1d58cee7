import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '#config/load.ts';
import { configSections } from '#config/schema.ts';
import { renderEnvExample } from '#scripts/env-example.ts';
import { root } from '#scripts/lib/paths.ts';

test('.env.example says what config/load.ts says (npm run env-example writes it)', () => {
  expect(readFileSync(join(root, '.env.example'), 'utf8')).toBe(renderEnvExample());
});

test('.env.example has every variable once, with its meaning, in lines of at most 120 columns', () => {
  const lines = renderEnvExample().split('\n');
  for (const [name, schema] of Object.values(configSections).flatMap((section) => Object.entries(section))) {
    expect(lines.filter((line) => line.startsWith(`# ${name}=`))).toHaveLength(1);
    expect(schema.description).toMatch(/\.$/);
  }
  expect(lines.filter((line) => line.length > 120)).toEqual([]);
});

test('the value after a variable is its default, for lists of numbers too (11.2)', () => {
  const text = renderEnvExample();
  expect(text).toContain('\n# WEBHOOK_RETRY_DELAYS=12,148,1808,22026,86400\n');
  expect(text).toContain('\n# WEBHOOK_PROBE_DELAYS=12,60,300,900,1800,3600\n');
  const shown = Object.fromEntries([...text.matchAll(/^# ([A-Z_]+)=(.+)$/gm)].map(([, name, value]) => [name, value]));
  expect(loadConfig(shown)).toEqual(loadConfig({}));
});
