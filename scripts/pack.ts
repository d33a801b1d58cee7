import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildSdk } from './build-sdk.ts';
import { root } from './lib/paths.ts';

// `npm run -s pack-packages [-- --out FOLDER]`: builds what customers install, and prints the path of each package.

const { values } = parseArgs({ options: { out: { type: 'string' } } });
const out = resolve(values.out ?? join(root, 'dist/packages'));
mkdirSync(out, { recursive: true });
await buildSdk((line) => console.error(`sdk: ${line}`));
for (const folder of ['sdk/typescript', 'mcp', 'cli']) {
  const cwd = join(root, folder);
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', out];
  const [packed] = JSON.parse(execFileSync('npm', args, { cwd, encoding: 'utf8' })) as [{ filename: string }];
  console.log(join(out, packed.filename));
}
