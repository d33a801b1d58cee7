// @module-tag process

import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { expect, test, vi } from 'vitest';
import { createFakeWebRisk } from './support/fake-web-risk.ts';
import { createHome, type NpmStart, npmStart } from './support/npm-start.ts';
import { descendants } from './support/process-tree.ts';

// What docs/operations.md says of backups: database, files, secret key and journals are all that is needed.

const linkCount = 12;

interface Answer {
  status: number;
  headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- bodies of several shapes
  body: any;
}

async function call(run: NpmStart, method: string, path: string, body?: object, key?: string): Promise<Answer> {
  const headers = {
    'x-api-key': run.row('API key'),
    'content-type': 'application/json',
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  };
  const response = await fetch(`${run.row('API')}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

async function visit(run: NpmStart, slug: string): Promise<number> {
  // Without it, fetch counts as a bot, whose visits are not clicks (4.10).
  const headers = { 'user-agent': 'curl/8.5.0' };
  return (await fetch(`${run.row('Edge')}/${slug}`, { redirect: 'manual', headers })).status;
}

const draft = (index: number): object => ({
  slug: `kept-${index}`,
  destination: { type: 'link', value: `https://site${index}.example/` },
});

test(
  'a backup that was taken amid the work is restored into an empty Temporal: nothing is missing',
  { timeout: 180_000 },
  async () => {
    await using fake = await createFakeWebRisk();
    const env = {
      WEB_RISK_ENDPOINT: fake.url,
      THREAT_SCAN_WAIT_MS: '0',
      RATE_LIMIT_PER_SECOND: '1000',
      RATE_LIMIT_PER_MINUTE: '1000',
    };
    fake.flag('https://site0.example/', ['MALWARE']);
    fake.fault(() => 'hang');
    await using home = await createHome();
    await using first = npmStart(home, env);
    await first.line(/^ready$/);
    const created: Answer[] = [];
    for (let index = 0; index < linkCount; index += 1) {
      created.push(await call(first, 'POST', '/short-link', draft(index), `key-${index}`));
    }
    expect(created.map(({ status }) => status)).toEqual(created.map(() => 201));
    for (const { body } of created) {
      expect(await visit(first, body.slug)).toBe(302);
      expect(await visit(first, body.slug)).toBe(302);
    }
    // All of it ends at once, as when the power fails: clicks of the last moment are on disk and nowhere else.
    const all = [first.supervisor(), ...descendants(first.supervisor())];
    for (const pid of all) killIfThere(pid);
    await first.exited;

    await using restored = await createHome();
    for (const name of readdirSync(home.dataDir).filter((entry) => !['temporal', 'waymark.lock'].includes(entry))) {
      // Whose files they are counts: PostgreSQL does not run as root.
      execFileSync('cp', ['-a', join(home.dataDir, name), restored.dataDir]);
    }
    fake.fault(() => undefined);
    await using second = npmStart(restored, env);
    await second.line(/^ready$/);
    await vi.waitFor(
      async () => {
        for (const [index, { body }] of created.entries()) {
          const link = await call(second, 'GET', `/short-link/${body.id}`);
          expect(link.body).toMatchObject({
            slug: body.slug,
            currentClicks: 2,
            destination: { threatTypes: index === 0 ? ['MALWARE'] : [] },
          });
        }
      },
      { timeout: 60_000, interval: 250 },
    );
    expect(await visit(second, 'kept-1')).toBe(302);
    // Sealed answers open: the secret key is the same.
    const again = await call(second, 'POST', '/short-link', draft(2), 'key-2');
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toEqual(created[2]!.body);
    await vi.waitFor(
      async () => {
        const ready = await (await fetch(`${second.row('API')}/readyz`)).json();
        expect(ready).toMatchObject({ status: 'ready', degraded: [] });
      },
      { timeout: 10_000, interval: 250 },
    );
    const connection = await Connection.connect({ address: `127.0.0.1:${restored.ports.TEMPORAL_PORT}` });
    const { count } = await new Client({ connection }).workflow.count();
    expect(count).toBeGreaterThan(0);
    await connection.close();
  },
);

/** Kills a process; those whose parent died before them may have ended by themselves. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
