import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import './core/issue-message.ts';
import { configSections, secretNames } from './core/settings.ts';

/** The configuration as a whole: what its variables (`core/settings.ts`) mean together, and how they are read. */

const cacheHome = (): string => process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');

const envSchema = z
  .object({
    ...configSections['API and edge'],
    ...configSections.Data,
    ...configSections['Uploaded files'],
    ...configSections.Temporal,
    ...configSections.Domains,
    ...configSections['Threat scanning'],
    ...configSections['Webhooks and mail'],
    ...configSections.Start,
  })
  .superRefine((env, context) => {
    if (env.DATABASE_URL !== undefined && env.SECRET_KEY === undefined) {
      context.addIssue({ code: 'custom', path: ['SECRET_KEY'], message: 'is required when DATABASE_URL is set' });
    }
    for (const name of ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const) {
      if (env.S3_BUCKET === undefined || env[name] !== undefined) continue;
      context.addIssue({ code: 'custom', path: [name], message: 'is required when S3_BUCKET is set' });
    }
  })
  .transform((env) => {
    const platformDomain = env.PLATFORM_DOMAIN ?? `localhost:${env.EDGE_PORT}`;
    return {
      ...env,
      PLATFORM_DOMAIN: platformDomain,
      BASE_URL: (env.BASE_URL ?? `http://localhost:${env.PORT}`).replace(/\/+$/, ''),
      EDGE_SCHEME: env.EDGE_SCHEME ?? (/^(localhost|127\.)/.test(platformDomain) ? 'http' : 'https'),
      WAYMARK_DATA_DIR: resolve(env.WAYMARK_DATA_DIR),
      WAYMARK_CACHE_DIR: resolve(env.WAYMARK_CACHE_DIR ?? join(cacheHome(), 'waymark')),
    };
  });

/** The whole configuration, by the names of its environment variables, defaults filled in, paths absolute. */
export type Config = z.output<typeof envSchema>;

/** All mistakes of a configuration at once; `mistakes` has one line `NAME: what is wrong` each. */
export class ConfigError extends Error {
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(`The configuration has ${mistakes.length === 1 ? 'a mistake' : 'mistakes'}:\n  ${mistakes.join('\n  ')}`);
    this.name = 'ConfigError';
    this.mistakes = mistakes;
  }
}

/**
 * Reads the configuration from environment variables. An empty value counts as unset.
 * @throws ConfigError that names every wrong variable.
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const values: Record<string, string | undefined> = {};
  const mistakes: string[] = [];
  for (const name of Object.keys(envSchema.in.shape)) if (env[name] !== '') values[name] = env[name];
  for (const name of secretNames) {
    const file = env[`${name}_FILE`];
    if (file === undefined || file === '') continue;
    if (values[name] !== undefined) mistakes.push(`${name}: set both by itself and by ${name}_FILE`);
    else values[name] = readSecret(`${name}_FILE`, file, mistakes);
  }
  const parsed = envSchema.safeParse(values);
  for (const issue of parsed.error?.issues ?? []) mistakes.push(`${issue.path.join('.')}: ${issue.message}`);
  if (!parsed.success || mistakes.length > 0) throw new ConfigError(mistakes);
  return parsed.data;
}

function readSecret(name: string, file: string, mistakes: string[]): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    mistakes.push(`${name}: cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
    return undefined;
  }
}
