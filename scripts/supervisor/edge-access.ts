import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Config } from '#config/load.ts';
import { edgeKeyOf, writeEdgeKey } from '#core/secrets/edge-key.ts';
import { configSections } from '#config/schema.ts';
import { ensureSecretKeyFile } from './secrets.ts';

/**
 * What the edge of `npm start` gets of the installation's secrets. It is the process that strangers reach: it has keys that open
 * nothing that is sealed, and reaches the database under a role that reads no secrets (ADR 19).
 */

/** The role that the edge works under; with a password it has to be made first. */
export interface EdgeRole {
  name: string;
  password?: string;
}

/** Tells the role; undefined in an operator's database for which EDGE_DATABASE_URL names none. */
export function planEdgeRole({ DATABASE_URL: given, EDGE_DATABASE_URL: edgeUrl }: Config): EdgeRole | undefined {
  // In the embedded database it has another password at each start: nobody else needs to know it.
  if (given === undefined) return { name: 'waymark_edge', password: randomBytes(24).toString('base64url') };
  return edgeUrl === undefined ? undefined : { name: decodeURIComponent(new URL(edgeUrl).username) };
}

const notForEdges = [
  ...(['Uploaded files', 'Temporal', 'Domains', 'Threat scanning', 'Webhooks and mail'] as const).flatMap((section) =>
    Object.keys(configSections[section]),
  ),
  'BOOTSTRAP_API_KEY',
  'BOOTSTRAP_ADMIN_EMAIL',
  'BOOTSTRAP_ADMIN_PASSWORD',
  'DATABASE_URL',
  'EDGE_DATABASE_URL',
  'SECRET_KEY',
];
const hidden = new Set(notForEdges.flatMap((name) => [name, `${name}_FILE`]));

/**
 * The environment of the edge: that of the others without what it has no use for.
 * @param databaseUrl of the owner of the tables.
 */
export function edgeEnvironment(
  config: Config,
  env: NodeJS.ProcessEnv,
  databaseUrl: string,
  role: EdgeRole | undefined,
): NodeJS.ProcessEnv {
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !hidden.has(name)));
  if (role === undefined) kept.DATABASE_URL = databaseUrl;
  else kept.EDGE_DATABASE_URL = role.password === undefined ? config.EDGE_DATABASE_URL : underRole(databaseUrl, role);
  if (config.EDGE_SECRET_KEY === undefined) {
    kept.EDGE_SECRET_KEY = secretKeysOf(config)
      .map((key) => writeEdgeKey(edgeKeyOf(key)))
      .join(',');
  }
  return kept;
}

function underRole(databaseUrl: string, { name, password = '' }: EdgeRole): string {
  const url = new URL(databaseUrl);
  url.username = encodeURIComponent(name);
  url.password = encodeURIComponent(password);
  return url.href;
}

function secretKeysOf({ SECRET_KEY: keys, WAYMARK_DATA_DIR: dataDir }: Config): readonly string[] {
  return keys ?? [readFileSync(ensureSecretKeyFile(dataDir), 'utf8').trim()];
}
