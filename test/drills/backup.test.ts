// @module-tag process

import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, TestRunner } from 'vitest';
import { createDatabase } from '#db/connection/database.ts';
import { compareSchema } from '#db/migrations/migrate.ts';
import { startPostgres } from '#scripts/embedded/postgres/postgres.ts';
import { root } from '#scripts/lib/paths.ts';
import { eventually } from '#test/support/eventually.ts';
import { createOrganization } from '#test/support/factories.ts';
import { startPostgresOnFreePort } from '#test/support/postgres.ts';
import { findPostgresTools } from '#test/support/fetched-tools.ts';
import { createTestDatabase, edgeRole } from '#test/support/stack.ts';

// The commands of docs/operations.md and docs/point-in-time-recovery.md, as they stand there.

// Where tests with the tag are left out, this file starts no process.
const tools = TestRunner.matchesTags(['process']) ? findPostgresTools() : undefined;
const archive = '/var/backups/waymark';

const readPage = (page: string): string => readFileSync(join(root, 'docs', page), 'utf8');

/** The URL, for a role whose password is `secret`. */
function withRole({ href }: URL, role: string): string {
  return Object.assign(new URL(href), { username: role, password: 'secret' }).href;
}

/** Blocks of code in a part of a page. */
function blocks(page: string, from: string, language: string): string[] {
  const text = readPage(page);
  const part = text.slice(text.indexOf(from));
  return [...part.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(([, code]) => code!);
}

/** Runs a block as a script that ends at the first command that fails. */
async function shell(code: string, cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', code], {
    cwd,
    env: { ...env, PATH: `${tools!}:${process.env.PATH ?? ''}` },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const status = await new Promise((resolve) => void child.once('close', resolve));
  if (status !== 0) throw new Error(`${code}ended with ${String(status)}:\n${text}`);
}

test.skipIf(tools === undefined)(
  'the documented commands restore a dump, a growing journal and the roles into a fresh cluster, and then any moment',
  { tags: 'nightly' },
  async () => {
    await using stopped = new AsyncDisposableStack();
    const folder = mkdtempSync(join(tmpdir(), 'waymark-backup-'));
    stopped.defer(() => rmSync(folder, { recursive: true, force: true }));
    // PostgreSQL, which runs as another user than root, enters it.
    chmodSync(folder, 0o755);
    const [fresh, again, live, put, backups] = ['fresh', 'again', 'live', 'put', 'backups'].map((name) => {
      mkdirSync(join(folder, name));
      return join(folder, name);
    }) as [string, string, string, string, string];
    const database = stopped.use(await createTestDatabase());
    const db = createDatabase({ url: database.url, onError: () => {} });
    stopped.defer(() => db.close());
    const { id } = await createOrganization(db);

    // An edge writes its journal meanwhile.
    const segment = join('journal', 'an-edge', '1.log');
    mkdirSync(join(live, 'journal', 'an-edge'), { recursive: true });
    writeFileSync(join(live, segment), Buffer.alloc(16_000_000, 'a click '));
    const writer = setInterval(() => appendFileSync(join(live, segment), 'a click '), 1);
    const [backup, restore] = blocks('operations.md', 'With PostgreSQL of your own:', 'sh') as [string, string];
    await shell(backup, folder, { DATABASE_URL: database.url, WAYMARK_DATA_DIR: live }).finally(() =>
      clearInterval(writer),
    );

    let server = await startPostgresOnFreePort({ dataDir: fresh, fast: true });
    stopped.defer(async () => void (await server.stop({ hurry: true })));
    const url = new URL(server.url);
    const fromNothing = createDatabase({ url: url.href, onError: () => {} });
    await fromNothing.query(`create role operator login createdb createrole password 'secret'`);
    await fromNothing.close();
    url.pathname = '/restored';
    // A managed PostgreSQL gives no superuser, and its URL has a query, as ?sslrootcert=/path/ca.pem.
    url.search = '?connect_timeout=30&application_name=a/b';
    const asOperator = withRole(url, 'operator');
    await shell(restore, folder, { DATABASE_URL: asOperator, WAYMARK_DATA_DIR: put });
    const [login] = /alter role \w+ login password '…'/.exec(readPage('operations.md'))!;
    const operator = createDatabase({ url: asOperator, onError: () => {} });
    stopped.defer(() => operator.close());
    await operator.query(login.replace('waymark_edge', edgeRole).replace('…', 'secret'));
    const edge = createDatabase({ url: withRole(url, edgeRole), onError: () => {} });
    stopped.defer(() => edge.close());
    expect((await edge.query('select from short_links')).rows).toEqual([]);
    expect(await compareSchema(url.href)).toEqual({ pending: [], statements: [] });
    const restored = createDatabase({ url: url.href, onError: () => {} });
    stopped.defer(() => restored.close());
    const { rows } = await restored.query(
      `select id, has_table_privilege($1, 'short_links', 'select') as edge_reads from organizations`,
      [edgeRole],
    );
    expect(rows).toContainEqual({ id, edge_reads: true });
    expect(statSync(join(put, segment)).size).toBeGreaterThanOrEqual(16_000_000);

    // From here on: point-in-time-recovery.md, with the folder of the test.
    const inFolder = (code: string): string => code.replaceAll(archive, backups);
    mkdirSync(join(backups, 'wal'));
    for (const path of [backups, join(backups, 'wal')]) chmodSync(path, 0o777);
    const [settings] = blocks('point-in-time-recovery.md', '## Archive', 'sql');
    for (const line of inFolder(settings!).trim().split('\n')) await restored.query(line);
    await server.stop();
    server = await startPostgres({ dataDir: fresh, port: Number(url.port), fast: true });
    const [base, goBack] = blocks('point-in-time-recovery.md', '## Archive', 'sh') as [string, string];
    await shell(inFolder(base), folder, { DATABASE_URL: url.href });

    const kept = await createOrganization(restored);
    const { rows: moments } = await restored.query<{ at: string }>('select clock_timestamp()::text as at');
    const lost = await createOrganization(restored);
    const { rows: ends } = await restored.query<{ name: string }>('select pg_walfile_name(pg_switch_wal()) as name');
    await eventually(async () => {
      const { rows: found } = await restored.query<{ last: string | null }>(
        'select last_archived_wal as last from pg_stat_archiver',
      );
      return (found[0]!.last ?? '') >= ends[0]!.name;
    });
    await server.stop({ hurry: true });

    const at = goBack.replace(/(?<=recovery_target_time = ')[^']+/, moments[0]!.at);
    await shell(inFolder(at), folder, { PGDATA: join(again, 'postgres') });
    copyFileSync(join(fresh, 'postgres-password'), join(again, 'postgres-password'));
    const { uid, gid } = statSync(join(fresh, 'postgres'));
    execFileSync('chown', ['-R', `${uid}:${gid}`, join(again, 'postgres')]);
    const recovered = await startPostgresOnFreePort({ dataDir: again, fast: true });
    stopped.defer(async () => void (await recovered.stop({ hurry: true })));
    url.port = new URL(recovered.url).port;
    const then = createDatabase({ url: url.href, onError: () => {} });
    stopped.defer(() => then.close());
    await eventually(async () => {
      const { rows: states } = await then.query('select from pg_is_in_recovery() as r where r');
      return states.length === 0;
    });
    const { rows: found } = await then.query<{ id: string }>('select id from organizations');
    const ids = found.map((row) => row.id);
    expect(ids).toEqual(expect.arrayContaining([id, kept.id]));
    expect(ids).not.toContain(lost.id);
  },
);
