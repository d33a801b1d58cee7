import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '#scripts/lib/paths.ts';

const components = globSync('console/**/*.tsx', { cwd: root }).filter((path) => !path.includes('node_modules'));

/** Classes that a component takes from style sheets which do not have them. */
function missingClasses(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8');
  const body = text.replaceAll(/^(?:import|\} from) .*$/gm, '');
  return [...text.matchAll(/import (\w+) from '([^']+\.module\.css)'/g)].flatMap(([, name = '', sheet = '']) => {
    const file = sheet.startsWith('#') ? sheet.slice(1) : join(path, '..', sheet);
    const style = readFileSync(join(root, file), 'utf8');
    return [...body.matchAll(new RegExp(String.raw`\b${name}\.(\w+)`, 'g'))]
      .map(([, className = '']) => className)
      .filter((className) => !new RegExp(String.raw`\.${className}\b`).test(style))
      .map((className) => `${path}: ${className}`);
  });
}

test('every class that a component names is in its style sheet', () => {
  expect(components.length).toBeGreaterThan(100);
  expect(components.flatMap(missingClasses)).toEqual([]);
});
