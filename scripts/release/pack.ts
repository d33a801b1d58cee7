import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildSdk } from '#scripts/build/sdk.ts';
import { root, waymarkVersion } from '#scripts/lib/paths.ts';

// `npm run -s pack-packages [-- --out FOLDER] [--without-python]`: builds what customers install, prints the path of each package, and
// writes SHA256SUMS beside them.

const { values } = parseArgs({ options: { out: { type: 'string' }, 'without-python': { type: 'boolean' } } });
const out = resolve(values.out ?? join(root, 'dist/packages'));
mkdirSync(out, { recursive: true });

await buildSdk((line) => console.error(`sdk: ${line}`));
const packages = ['sdk/typescript', 'mcp', 'cli'].map((folder) => {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', out];
  const printed = execFileSync('npm', args, { cwd: join(root, folder), encoding: 'utf8' });
  const [{ filename }] = JSON.parse(printed) as [{ filename: string }];
  return join(out, filename);
});
packages.push(
  packFolder('sdk/go', 'waymark-go'),
  packFolder('integrations/browser-extension', 'waymark-browser-extension'),
);
if (values['without-python'] !== true) {
  // In a process of its own: schemas get their names in the API's description once in a process.
  const args = [join(root, 'scripts/build/sdk-python.ts'), '--out', out];
  packages.push(execFileSync(process.execPath, args, { encoding: 'utf8' }).trim());
}
const sums = packages.map(
  (path) => `${createHash('sha256').update(readFileSync(path)).digest('hex')}  ${basename(path)}\n`,
);
writeFileSync(join(out, 'SHA256SUMS'), sums.join(''));
for (const path of packages) console.log(path);

/** Packs a folder that customers unpack and use as it is, without its tests, as a folder named like the package. @returns its path. */
function packFolder(folder: string, name: string): string {
  const path = join(out, `${name}-${waymarkVersion()}.tgz`);
  const draft = mkdtempSync(join(tmpdir(), 'waymark-pack-'));
  cpSync(join(root, folder), join(draft, name), {
    recursive: true,
    filter: (source) => !source.endsWith('_test.go'),
  });
  execFileSync('tar', ['-czf', path, '-C', draft, name]);
  rmSync(draft, { recursive: true });
  return path;
}
