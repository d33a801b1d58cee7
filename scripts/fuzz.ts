import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadConfig } from '../config.ts';
import { createHome, npmStart } from '../test/support/npm-start.ts';

// `npm run fuzz`: runs the whole product and lets schemathesis try the API with all that /doc allows, and forbids.

const version = '4.32.5';
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
].join(',');

const { values } = parseArgs({ options: { examples: { type: 'string', default: '25' } } });
process.exit(await main(values.examples));

async function main(examples: string): Promise<number> {
  const schemathesis = install(
    join(loadConfig({ WAYMARK_CACHE_DIR: process.env.WAYMARK_CACHE_DIR }).WAYMARK_CACHE_DIR),
  );
  await using home = await createHome();
  await using product = npmStart(home, {
    RATE_LIMIT_PER_SECOND: '1000000',
    RATE_LIMIT_PER_MINUTE: '100000000',
    THREAT_SCAN_WAIT_MS: '0',
    LOG_LEVEL: 'warn',
  });
  await product.line(/^ready$/m);
  const api = `http://127.0.0.1:${home.ports.PORT}`;
  const { status } = spawnSync(
    schemathesis,
    [
      'run',
      `${api}/doc`,
      `--url=${api}`,
      `--header=x-api-key: ${product.row('API key')}`,
      '--phases=examples,coverage,fuzzing',
      `--max-examples=${examples}`,
      `--checks=${checks}`,
      // A key is refused there, whatever is sent.
      '--exclude-path-regex=^/auth',
    ],
    { stdio: 'inherit' },
  );
  return status ?? 1;
}

/** Installs schemathesis into a virtual environment in the cache folder, once. @returns the path of its command. */
function install(cacheDir: string): string {
  const folder = join(cacheDir, `schemathesis-${version}`);
  const command = join(folder, 'bin', 'schemathesis');
  if (existsSync(command)) return command;
  for (const [program, ...args] of [
    ['python3', '-m', 'venv', folder],
    [join(folder, 'bin', 'pip'), 'install', '--quiet', `schemathesis==${version}`],
  ]) {
    const { status } = spawnSync(program!, args, { stdio: 'inherit' });
    if (status !== 0) throw new Error(`${program} failed; the fuzz needs Python 3 with venv and pip.`);
  }
  return command;
}
