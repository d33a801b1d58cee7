import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSealing } from '#adapters/sealing.ts';
import { createAuthority } from '#test/support/certificates.ts';
import { makeLinks } from '#bench/lib/database.ts';
import type { Stage as Base, Target } from '#bench/lib/stage.ts';
import { createHooks, type Hooks } from './hooks.ts';

/** Receiver, PostgreSQL and Temporal share a core, the worker has one of its own. */
export interface Stage extends Omit<Base, typeof Symbol.asyncDispose> {
  hooks: Hooks;
  /** Webhooks of another organization. */
  hooksOf(organizationId: string): Hooks;
  /** Slugs of the thousand links. */
  slugs: readonly string[];
  /** Starts an edge on the receiver's core. */
  edge(): Promise<Target>;
}

const links = 1_000;

/** Makes links, and starts a receiver and a worker. */
export async function prepareWebhooks(stage: Base): Promise<Stage> {
  const { database, secretKey, options } = stage;
  const slugs = Array.from({ length: links }, (_, index) => `w${index}`);
  await makeLinks(database, slugs);
  await database.db.query('truncate outbox');
  const tls = makeCertificates(options.folder);
  const receiver = await stage.start('receiver', 'bench/webhooks/receiver.ts', {
    env: { TLS_CERT: tls.cert, TLS_KEY: tls.key },
  });
  await stage.start('worker', 'worker.ts', {
    env: { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8', WEBHOOK_CA_FILE: tls.ca },
    isMeasured: true,
  });
  const origin = `https://${new URL(receiver.url).host}`;
  const hooksOf = (organizationId: string): Hooks =>
    createHooks(
      { ...database, actor: { ...database.actor, organizationId } },
      { origin, sealing: createSealing([secretKey]) },
    );
  return {
    ...stage,
    slugs,
    hooks: hooksOf(database.actor.organizationId),
    hooksOf,
    edge: () => stage.start('edge', 'server.ts', { env: { SERVE: 'edge' } }),
  };
}

/** Writes PEM files of a root and its certificate for 127.0.0.1. @returns their paths. */
function makeCertificates(folder: string): { ca: string; cert: string; key: string } {
  const authority = createAuthority('Waymark bench root');
  const { cert, key } = authority.issue(['127.0.0.1']);
  const paths = { ca: join(folder, 'ca.pem'), cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  writeFileSync(paths.ca, authority.cert);
  writeFileSync(paths.cert, cert);
  writeFileSync(paths.key, key, { mode: 0o600 });
  return paths;
}
