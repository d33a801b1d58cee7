import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Config } from '#config/load.ts';
import { edgeKeyOf, writeEdgeKey } from '#core/secrets/edge-key.ts';
import { configSections } from '#config/schema.ts';
import { list } from '#config/values.ts';
import { ensureSecretKeyFile } from './secrets.ts';

/**
 * Secrets of the edge of `npm start`. The edge serves the public, so its keys open no sealed value, and its database role reads no
 * secrets (ADR 19).
 */

/** The edge's database role; one with a password has to be created first. */
export interface EdgeRole {
  name: string;
  password?: string;
}

/** Undefined for an operator's database without EDGE_DATABASE_URL. */
export function planEdgeRole({ DATABASE_URL: given, EDGE_DATABASE_URL: edgeUrl }: Config): EdgeRole | undefined {
  // The embedded database gets a new password at each start, because no other process needs it.
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
 * The environment of the edge, without variables that it does not use.
 * @param databaseUrl URL of the tables' owner.
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
  return keys ?? list.parse(readFileSync(ensureSecretKeyFile(dataDir), 'utf8'));
}
