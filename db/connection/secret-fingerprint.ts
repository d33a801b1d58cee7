import type { Sealing } from '#core/secrets/sealing.ts';
import type { Sql } from './database.ts';

const row = 'secret-fingerprint';

/** SECRET_KEY is not the key that this database was set up with; the message tells the operator what to do. */
export class SecretKeyError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SecretKeyError';
  }
}

/**
 * Checks that this process has the secret key of its database (11.2). The first process of a new database stores the
 * fingerprint of its first key; later processes must have that key, at any place of their list. An edge only compares, where
 * there is a fingerprint: it may not write here.
 * @throws SecretKeyError where none of the keys is the database's.
 */
export async function requireSecretKey(
  sql: Sql,
  { fingerprints }: Pick<Sealing, 'fingerprints'>,
  { onlyCompares = false }: { onlyCompares?: boolean } = {},
): Promise<void> {
  if (!onlyCompares) await leaveFingerprint(sql, fingerprints[0]);
  const stored = await storedFingerprint(sql);
  if (stored === undefined || fingerprints.includes(stored)) return;
  const mine = fingerprints.length === 1 ? `is ${fingerprints[0]}` : `are ${fingerprints.join(', ')}`;
  throw new SecretKeyError(
    [
      `SECRET_KEY is not the key of this database: its fingerprint ${mine}, the database was set up with ${stored}.`,
      'Set SECRET_KEY to the earlier key. To change it, list both, SECRET_KEY=<new key>,<earlier key>, in every process,',
      'run `npm run -s waymark -- secrets reseal`, and take the earlier key away after that. Where the earlier key is lost,',
      '`secrets reseal --accept-loss` goes on without it: webhooks then need new secrets.',
      'Where EDGE_SECRET_KEY is set, take it anew from `npm run -s waymark -- secrets edge`.',
    ].join('\n'),
  );
}

async function leaveFingerprint(sql: Sql, fingerprint: string | undefined): Promise<void> {
  await sql.query(
    `insert into installation (key, value) values ($1, to_jsonb($2::text)) on conflict (key) do nothing`,
    [row, fingerprint],
  );
}

/** Reads the fingerprint of the database's key; undefined before the first process has started. */
export async function storedFingerprint(sql: Sql): Promise<string | undefined> {
  const { rows } = await sql.query<{ fingerprint: string }>(
    `select value #>> '{}' as fingerprint from installation where key = $1`,
    [row],
  );
  return rows[0]?.fingerprint;
}

/** Stores the fingerprint of another key, once everything is sealed with it. */
export async function moveFingerprint(sql: Sql, fingerprint: string): Promise<void> {
  await sql.query(
    `insert into installation (key, value) values ($1, to_jsonb($2::text))
     on conflict (key) do update set value = excluded.value, updated_at = now()`,
    [row, fingerprint],
  );
}
