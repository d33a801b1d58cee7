import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { generators } from '#test/clients/generators.ts';
import { root } from './lib/paths.ts';

// `npm run clients`: generates clients of the API in TypeScript, Python and Go, compiles them strictly, and makes their calls. The
// first run installs the generators of Python and Go into the cache folder.

const needs = {
  TypeScript: '',
  'TypeScript-fetch': 'npm and its registry',
  Python: 'Python 3 with venv and pip',
  Go: 'Go 1.25 or newer',
};
const ready: string[] = [];
for (const generator of generators) {
  const { language } = generator;
  try {
    if (!generator.isInstalled()) {
      console.log(`${language}: installing the generator`);
      generator.install();
    }
    ready.push(language);
  } catch (error) {
    console.error(`${language}: left out. Its generator needs ${needs[language]}. ${(error as Error).message}`);
  }
}
console.log(`Clients: ${ready.join(', ')}`);
const { status } = spawnSync(join(root, 'node_modules/.bin/vitest'), ['run', 'test/clients'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, WAYMARK_CLIENTS: ready.join(',') },
});
process.exitCode = ready.length === generators.length ? (status ?? 1) : 1;
