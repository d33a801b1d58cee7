import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadConfig } from '#config/load.ts';
import { actions, resources } from '#core/organizations/permissions.ts';
import { createHome, npmStart } from '#test/support/npm-start.ts';

// `npm run fuzz`: starts the whole product, and has schemathesis call the API with input that /doc allows and forbids.

const version = '4.32.5';
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
  'use_after_free',
  'ensure_resource_availability',
  'ignored_auth',
].join(',');

// A wrong row of a bulk call has a result of its own: the call is answered 200 or 201.
const config = `[[operations]]
include-path = "/short-link/bulk"

[operations.checks.negative_data_rejection]
expected-statuses = ["200", "201", "4XX"]
`;

const { values } = parseArgs({ options: { examples: { type: 'string', default: '25' }, seed: { type: 'string' } } });
process.exit(await main(values));

/** @param examples calls of each operation in each phase. @param seed repeats an earlier run. */
async function main({ examples, seed }: { examples: string; seed?: string | undefined }): Promise<number> {
  const schemathesis = install(loadConfig({ WAYMARK_CACHE_DIR: process.env.WAYMARK_CACHE_DIR }).WAYMARK_CACHE_DIR);
  await using home = await createHome();
  await using product = npmStart(home, {
    RATE_LIMIT_PER_SECOND: '1000000',
    RATE_LIMIT_PER_MINUTE: '100000000',
    THREAT_SCAN_WAIT_MS: '0',
    LOG_LEVEL: 'warn',
  });
  await product.line(/^ready$/m);
  const api = `http://127.0.0.1:${home.ports.PORT}`;
  const key = await createFullKey(
    `http://localhost:${home.ports.PORT}`,
    product.row('E-mail'),
    product.row('Password'),
  );
  const args = [
    'run',
    `${api}/doc`,
    `--url=${api}`,
    `--header=x-api-key: ${key}`,
    '--phases=examples,coverage,fuzzing,stateful',
    `--max-examples=${examples}`,
    `--checks=${checks}`,
    // Paths under /auth refuse keys, and the run's key would soon revoke itself.
    String.raw`--exclude-path-regex=^/(auth/|api-key/\{id\})`,
    ...(seed === undefined ? [] : [`--seed=${seed}`]),
  ];
  // schemathesis reads its configuration from its working folder, and writes notes there.
  writeFileSync(join(home.dataDir, 'schemathesis.toml'), config);
  const child = spawn(schemathesis, args, { stdio: 'inherit', cwd: home.dataDir });
  const [code] = (await once(child, 'exit')) as [number | null];
  // A 500 says nothing about its cause; the log does.
  const errors = product.output().match(/^.*"level":[56]0.*$/gm) ?? [];
  if (errors.length > 0) console.log(`Errors in the log of the product:\n${errors.join('\n')}`);
  return code ?? 1;
}

/** Signs in as the demo organization's owner and creates a key with all permissions. */
async function createFullKey(origin: string, email: string, password: string): Promise<string> {
  const headers = { origin, 'content-type': 'application/json' };
  const post = async (path: string, body: object, cookie = ''): Promise<Response> => {
    const response = await fetch(origin + path, {
      method: 'POST',
      headers: { ...headers, cookie },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  const session = await post('/auth/login', { email, password });
  const cookie = session.headers.get('set-cookie')!.split(';')[0]!;
  const permissions = Object.fromEntries(resources.map((resource) => [resource, actions]));
  const made = await post('/api-key', { type: 'user', name: 'Fuzz', permissions }, cookie);
  return ((await made.json()) as { key: string }).key;
}

/** Installs schemathesis once, into a virtual environment in the cache folder. @returns the path of its command. */
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
