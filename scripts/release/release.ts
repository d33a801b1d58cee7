import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readAudit } from './audit.ts';
import { completeSbom, type Lock, type Sbom } from './sbom.ts';
import { typeFlags } from '#scripts/lib/node-flags.ts';
import { root, waymarkVersion } from '#scripts/lib/paths.ts';

// `npm run release`: packs what customers install, and writes the bill of materials and the known advisories of a release (docs/release.md).

const usage = 'Usage: npm run release -- [--out FOLDER] [--offline]';

function npm(args: readonly string[]): { stdout: string; status: number | null } {
  const { stdout, status, error } = spawnSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    timeout: 300_000,
  });
  if (error !== undefined) throw error;
  return { stdout, status };
}

function main(): number {
  const { values } = parseArgs({ options: { out: { type: 'string' }, offline: { type: 'boolean' } } });
  const folder = values.out ?? join(root, 'dist', 'release');
  mkdirSync(folder, { recursive: true });

  const pack = [...typeFlags(), join(root, 'scripts/release/pack.ts'), '--out', folder];
  execFileSync(process.execPath, pack, { stdio: 'inherit' });
  // npm's --omit=dev also drops needed packages, so `completeSbom` drops development packages instead.
  const made = npm(['sbom', '--package-lock-only', '--sbom-format=cyclonedx']);
  if (made.status !== 0) {
    console.error('npm sbom failed: package-lock.json and package.json do not fit together, or npm is older than 9.5.');
    return 1;
  }
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
  const text = `${JSON.stringify(completeSbom(JSON.parse(made.stdout) as Sbom, lock), null, 2)}\n`;
  const name = `waymark-${waymarkVersion()}.cdx.json`;
  writeFileSync(join(folder, name), text);
  // pack.ts wrote the sums of the packages.
  appendFileSync(join(folder, 'SHA256SUMS'), `${createHash('sha256').update(text).digest('hex')}  ${name}\n`);
  console.log(`${join(folder, name)}: ${(JSON.parse(text) as Sbom).components.length} components`);

  if (values.offline === true) {
    console.log('Advisories were not asked for (--offline): do not publish before `npm run release` has asked.');
    return 0;
  }
  const audit = readAudit(npm(['audit', '--package-lock-only', '--omit=dev', '--json']).stdout);
  writeFileSync(join(folder, 'advisories.json'), `${JSON.stringify(audit, null, 2)}\n`);
  if (!audit.isAsked) {
    console.error(`The registry did not say what is known against these packages (${audit.reason}).`);
    console.error('Nothing is published on a guess: try again, or go on without them by --offline.');
    return 3;
  }
  for (const { package: found, severity, title } of audit.advisories) console.error(`${severity}: ${found}: ${title}`);
  if (audit.advisories.some(({ severity }) => severity === 'high' || severity === 'critical')) return 2;
  console.log('Advisories: none of high or critical severity.');
  return 0;
}

try {
  process.exitCode = main();
} catch (error) {
  console.error(`${(error as Error).message}\n${usage}`);
  process.exitCode = 1;
}
