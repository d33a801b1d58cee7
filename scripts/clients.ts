import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { generators } from '#test/clients/generators.ts';
import { root } from './lib/paths.ts';

// `npm run clients [-- NAME…]`: generates clients of the API in TypeScript, Python, Go and Java, compiles them strictly, and makes
// their calls. The first run installs the generators into the cache folder.

const names = process.argv.slice(2);
const chosen = generators.filter(({ name }) => names.length === 0 || names.includes(name));
const ready: string[] = [];
for (const { name, needs, ...generator } of chosen) {
  try {
    if (!generator.isInstalled()) {
      console.log(`${name}: installing the generator`);
      generator.install();
    }
    ready.push(name);
  } catch (error) {
    console.error(`${name}: left out. Its generator needs ${needs}. ${(error as Error).message}`);
  }
}
console.log(`Clients: ${ready.join(', ')}`);
const { status } = spawnSync(join(root, 'node_modules/.bin/vitest'), ['run', 'test/clients'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, WAYMARK_CLIENTS: ready.join(',') },
});
process.exitCode = ready.length > 0 && ready.length === chosen.length ? (status ?? 1) : 1;
