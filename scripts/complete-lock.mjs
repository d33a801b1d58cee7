// Completes package-lock.json: npm leaves out platform packages that the registry at hand does not serve, and `npm ci`
// then refuses the file everywhere. Run after each change of dependencies: `npm run lock`.
import { readFileSync, writeFileSync } from 'node:fs';

const path = new URL('../package-lock.json', import.meta.url);
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
      ...(cpu === undefined ? {} : { cpu: [cpu] }),
      ...(entry.dev === true ? { dev: true } : {}),
      ...(os === 'linux' && abi !== undefined ? { libc: [abi.startsWith('musl') ? 'musl' : 'glibc'] } : {}),
      license: entry.license,
      optional: true,
      os: [os],
    };
  }
}
const packages = Object.entries({ ...lock.packages, ...added });
lock.packages = Object.fromEntries(packages.toSorted(([one], [other]) => one.localeCompare(other, 'en')));
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${Object.keys(added).length} platform packages added`);
