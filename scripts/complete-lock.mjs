// `npm run lock [-- sdk/typescript]`, after each change of dependencies: adds platform packages that npm sometimes leaves out of package-lock.json, without
// which `npm ci` refuses the file, and the hash of every package. Where a hash cannot be had, the file stays unchanged.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const path = new URL(`../${process.argv[2] ?? '.'}/package-lock.json`, import.meta.url);
const platform =
  /(android|darwin|freebsd|linux|openharmony|win32|wasm32|wasi)-?(arm64|arm|x64|ia32|ppc64|riscv64|s390x|loong64)?(?:-(\w+))?$/;

const lock = JSON.parse(readFileSync(path, 'utf8'));
const added = {};
for (const [parent, entry] of Object.entries(lock.packages)) {
  if (parent === '') continue;
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`;
    const match = platform.exec(name);
    const isKnown = lock.packages[key] !== undefined || lock.packages[`${parent}/${key}`] !== undefined;
    if (isKnown || match === null || !/^\d+\.\d+\.\d+/.test(version)) continue;
    const [, os, cpu, abi] = match;
    added[key] = {
      version,
      integrity: integrityOf(name, version),
      ...(cpu === undefined ? {} : { cpu: [cpu] }),
      ...(entry.dev === true ? { dev: true } : {}),
      ...(os === 'linux' && abi !== undefined ? { libc: [abi.startsWith('musl') ? 'musl' : 'glibc'] } : {}),
      license: entry.license,
      optional: true,
      os: [os],
    };
  }
}
const withoutHash = Object.entries({ ...lock.packages, ...added }).filter(
  ([path, { integrity }]) => path !== '' && integrity === undefined,
);
if (withoutHash.length > 0) {
  const names = withoutHash.map(([path, { version }]) => `  ${path.replace(/^.*node_modules\//, '')} ${version}`);
  console.error(
    [
      'The registry has no hash of these packages, so package-lock.json stays as it was:',
      ...names,
      'Pin the package that wants them to a version of which the registry has every platform, or ask another registry.',
    ].join('\n'),
  );
  process.exit(1);
}
const packages = Object.entries({ ...lock.packages, ...added });
lock.packages = Object.fromEntries(packages.toSorted(([one], [other]) => one.localeCompare(other, 'en')));
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${Object.keys(added).length} platform packages added`);

/** A package's hash by the registry; undefined where the registry has none. */
function integrityOf(name, version) {
  try {
    const output = execFileSync('npm', ['view', `${name}@${version}`, 'dist.integrity'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return output.trim() || undefined;
  } catch {
    return undefined;
  }
}
