import { X509Certificate } from 'node:crypto';
import { accessSync, closeSync, constants, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import '#core/errors/issues.ts';
import { list } from './values.ts';
import { configSections, secretNames } from './schema.ts';

/** Reads the configuration and checks how its variables (`config/schema.ts`) go together. */

const cacheHome = (): string => process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');

const clientPair = ['TEMPORAL_TLS_CERT_FILE', 'TEMPORAL_TLS_KEY_FILE'] as const;
// Each of these variables turns on TLS.
const tlsSettings = ['TEMPORAL_API_KEY', 'TEMPORAL_TLS_CA_FILE', ...clientPair] as const;

/** Settings that are set together or not at all. */
const inseparable = [
  ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
  clientPair,
] as const;

const envSchema = z
  .object({
    ...configSections['API and edge'],
    ...configSections.Data,
    ...configSections['Uploaded files'],
    ...configSections.Temporal,
    ...configSections.Domains,
    ...configSections['Threat scanning'],
    ...configSections['Webhooks and mail'],
    ...configSections['Sign-in'],
    ...configSections['Logs and metrics'],
    ...configSections['Only for npm start'],
  })
  .superRefine(
    (env, context) => {
      const hasEdgeKey = env.SERVE === 'edge' && env.EDGE_SECRET_KEY !== undefined;
      if (env.DATABASE_URL !== undefined && env.SECRET_KEY === undefined && !hasEdgeKey) {
        context.addIssue({ code: 'custom', path: ['SECRET_KEY'], message: 'is required when DATABASE_URL is set' });
      }
      for (const names of inseparable) {
        const given = names.find((name) => env[name] !== undefined);
        for (const name of names) {
          if (given === undefined || env[name] !== undefined) continue;
          context.addIssue({ code: 'custom', path: [name], message: `is required when ${given} is set` });
        }
      }
      if (env.CLICKHOUSE !== undefined && env.CLICKHOUSE_URL !== undefined)
        context.addIssue({ code: 'custom', path: ['CLICKHOUSE'], message: 'must not be set beside CLICKHOUSE_URL' });
      for (const message of edgeContradictions(env)) {
        context.addIssue({ code: 'custom', path: ['EDGE_URL'], message });
      }
      const tlsSetting = tlsSettings.find((name) => env[name] !== undefined);
      if (env.TEMPORAL_TLS === false && tlsSetting !== undefined) {
        const message = `must not be false when ${tlsSetting} is set`;
        context.addIssue({ code: 'custom', path: ['TEMPORAL_TLS'], message });
      }
      if (env.TEMPORAL_ADDRESS === undefined && (env.TEMPORAL_TLS ?? tlsSetting !== undefined)) {
        const message = 'is required with TLS: the Temporal service that npm start runs has none';
        context.addIssue({ code: 'custom', path: ['TEMPORAL_ADDRESS'], message });
      }
    },
    // Runs after other mistakes too, so that all mistakes are reported at once.
    { when: () => true },
  )
  .transform((env) => {
    const { scheme, domain } = edgeAddress(env);
    const baseUrl = new URL(env.BASE_URL ?? `http://localhost:${env.PORT}`);
    return {
      ...env,
      EDGE_URL: `${scheme}://${domain}`,
      PLATFORM_DOMAIN: domain,
      EDGE_SCHEME: scheme,
      BASE_URL: baseUrl.href.replace(/\/+$/, ''),
      // The mailbox that RFC 2142 reserves for security contacts.
      SECURITY_CONTACT: env.SECURITY_CONTACT ?? [`mailto:security@${domain.replace(/:.*/, '')}`],
      STAFF_SECOND_FACTOR: env.STAFF_SECOND_FACTOR ?? (baseUrl.protocol === 'https:' ? 'required' : 'optional'),
      TEMPORAL_TLS: env.TEMPORAL_TLS ?? tlsSettings.some((name) => env[name] !== undefined),
      WAYMARK_DATA_DIR: resolve(env.WAYMARK_DATA_DIR),
      WAYMARK_CACHE_DIR: resolve(env.WAYMARK_CACHE_DIR ?? join(cacheHome(), 'waymark')),
    };
  });

interface EdgeSettings {
  EDGE_URL?: string;
  PLATFORM_DOMAIN?: string;
  EDGE_SCHEME?: 'http' | 'https';
  EDGE_PORT: number;
}

/** Scheme and domain, its port included, of short links: from EDGE_URL, else from the older names of its parts. */
function edgeAddress(env: EdgeSettings): { scheme: 'http' | 'https'; domain: string } {
  if (env.EDGE_URL !== undefined) {
    const { protocol, host } = new URL(env.EDGE_URL);
    return { scheme: protocol === 'https:' ? 'https' : 'http', domain: host };
  }
  const domain = env.PLATFORM_DOMAIN ?? `localhost:${env.EDGE_PORT}`;
  return { scheme: env.EDGE_SCHEME ?? (/^(localhost|127\.)/.test(domain) ? 'http' : 'https'), domain };
}

/** How the older names contradict EDGE_URL. */
function edgeContradictions({
  EDGE_URL: edgeUrl,
  PLATFORM_DOMAIN: domain,
  EDGE_SCHEME: scheme,
}: EdgeSettings): string[] {
  const url = URL.parse(edgeUrl ?? '');
  if (url === null) return [];
  const hasOtherDomain = domain !== undefined && URL.parse(`${url.protocol}//${domain}`)?.host !== url.host;
  const hasOtherScheme = scheme !== undefined && `${scheme}:` !== url.protocol;
  return [
    ...(hasOtherDomain ? [`contradicts PLATFORM_DOMAIN, which is ${domain}; leave PLATFORM_DOMAIN out`] : []),
    ...(hasOtherScheme ? [`contradicts EDGE_SCHEME, which is ${scheme}; leave EDGE_SCHEME out`] : []),
  ];
}

/** The whole configuration, by the names of its environment variables, defaults filled in, paths absolute. */
export type Config = z.output<typeof envSchema>;

/** All mistakes of a configuration; each line is `NAME: message`. */
export class ConfigError extends Error {
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(`The configuration has ${mistakes.length === 1 ? 'a mistake' : 'mistakes'}:\n  ${mistakes.join('\n  ')}`);
    this.name = 'ConfigError';
    this.mistakes = mistakes;
  }
}

/** Variables that name files for the connection to Temporal. */
export const temporalFiles = ['TEMPORAL_TLS_CA_FILE', ...clientPair] as const;

/** Variables that name files to read. */
export const fileNames = [
  'BREACHED_PASSWORDS_FILE',
  'GEOIP_DB',
  'THREAT_LIST_FILE',
  'WEBHOOK_CA_FILE',
  ...temporalFiles,
] as const;

// Parameters of a PostgreSQL URL that name files, which the driver reads anew for each connection.
const tlsParameters = new Set(['sslrootcert', 'sslcert', 'sslkey']);

/** What a process needs of its configuration. */
interface Wishes<Name> {
  /** Variables whose files must be readable: this process, or one that it starts, reads them. */
  files?: readonly (typeof fileNames)[number][];
  /** Required variables; `by` names the process in the message. */
  required?: readonly Name[];
  by?: string;
  /** Mistakes of settings that do not go together in this process, each `NAME: message`. */
  check?: (config: Config) => readonly string[];
}

/**
 * Reads the configuration from environment variables. Empty and blank values count as unset. Values are trimmed, except passwords.
 * @throws ConfigError with every wrong or missing variable.
 */
export function loadConfig<Name extends keyof Config = never>(
  env: NodeJS.ProcessEnv = process.env,
  { files = [], required = [], by = 'this process', check }: Wishes<Name> = {},
): Config & { [Key in Name]: NonNullable<Config[Key]> } {
  const values: Record<string, string | undefined> = {};
  const mistakes: string[] = [];
  for (const name of Object.keys(envSchema.in.shape)) {
    const trimmed = env[name]?.trim() ?? '';
    if (trimmed !== '') values[name] = name === 'BOOTSTRAP_ADMIN_PASSWORD' ? env[name] : trimmed;
  }
  for (const name of secretNames) {
    const file = env[`${name}_FILE`];
    if (file === undefined || file === '') continue;
    if (values[name] !== undefined) mistakes.push(`${name}: set both by itself and by ${name}_FILE`);
    else values[name] = readSecret(`${name}_FILE`, file, mistakes);
  }
  for (const name of files) {
    const text = values[name] ?? '';
    for (const path of name === 'GEOIP_DB' ? list.parse(text) : [text]) {
      const reason = path === '' ? undefined : whyUnreadable(path);
      if (reason !== undefined) mistakes.push(`${name}: ${path} cannot be read (${reason})`);
      else if (path !== '' && name === 'WEBHOOK_CA_FILE' && !hasCertificate(path))
        mistakes.push(`${name}: ${path} holds no certificate in PEM`);
      else if (path !== '' && name === 'GEOIP_DB' && !isGeoipDatabase(path))
        mistakes.push(`${name}: ${path} is no database in MaxMind's format`);
      else if (path !== '' && name === 'BREACHED_PASSWORDS_FILE' && !hasHashes(path))
        mistakes.push(`${name}: ${path} does not begin with two SHA-1 hashes in hexadecimal, sorted, one a line`);
    }
  }
  for (const name of ['DATABASE_URL', 'EDGE_DATABASE_URL'] as const) {
    for (const [parameter, path] of URL.parse(values[name] ?? '')?.searchParams ?? []) {
      if (!tlsParameters.has(parameter)) continue;
      const reason = whyUnreadable(path);
      if (reason !== undefined) mistakes.push(`${name}: ${parameter}=${path} cannot be read (${reason})`);
      else if (parameter === 'sslrootcert' && !hasCertificate(path))
        mistakes.push(`${name}: sslrootcert=${path} holds no certificate in PEM`);
    }
  }
  const parsed = envSchema.safeParse(values);
  for (const issue of parsed.error?.issues ?? []) mistakes.push(`${issue.path.join('.')}: ${issue.message}`);
  for (const name of required) {
    if (values[name] !== undefined || mistakes.some((mistake) => mistake.startsWith(name))) continue;
    mistakes.push(`${name}: is required by ${by}`);
  }
  if (parsed.success && check !== undefined) mistakes.push(...check(parsed.data));
  if (!parsed.success || mistakes.length > 0) throw new ConfigError(mistakes);
  return parsed.data as ReturnType<typeof loadConfig<Name>>;
}

function whyUnreadable(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK);
    const stats = statSync(path);
    // /dev/null is an empty list.
    return stats.isFile() || stats.isCharacterDevice() ? undefined : 'it is not a file';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown error';
  }
}

function hasCertificate(path: string): boolean {
  try {
    return new X509Certificate(readFileSync(path)).subject !== undefined;
  } catch {
    return false;
  }
}

/** Whether a file ends as MaxMind's format has it: with a marker, in the last 128 KiB, before the metadata. */
function isGeoipDatabase(path: string): boolean {
  const { size } = statSync(path);
  const length = Math.min(size, 131_072);
  return readPart(path, size - length, length).includes('\xab\xcd\xefMaxMind.com', 0, 'latin1');
}

/** Whether the first line of a file is a SHA-1 hash and the second one a higher one. An empty file is an empty list. */
function hasHashes(path: string): boolean {
  const [first, second] = readPart(path, 0, 256).toString('latin1').toUpperCase().split('\n');
  const isHash = (line = ''): boolean => line === '' || /^[0-9A-F]{40}(?::\d+)?\r?$/.test(line);
  return isHash(first) && isHash(second) && (!second || second > first!);
}

function readPart(path: string, position: number, length: number): Buffer {
  const part = Buffer.alloc(length);
  const file = openSync(path, 'r');
  const bytes = readSync(file, part, 0, length, position);
  closeSync(file);
  return part.subarray(0, bytes);
}

function readSecret(name: string, file: string, mistakes: string[]): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    mistakes.push(`${name}: cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
    return undefined;
  }
}
