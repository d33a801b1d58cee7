import { randomBytes, randomInt } from 'node:crypto';
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepPrivate, type PrivacyLog } from '#adapters/machine/private-files.ts';
import type { DemoCredentials } from '#commands/organizations/demo.ts';
import { createApiKey } from '#core/organizations/api-key.ts';
import { clickHousePasswordFile } from '#scripts/embedded/clickhouse/running.ts';

// No characters that look alike.
const passwordAlphabet = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const passwordLength = 20;

/** Demo credentials of the variables BOOTSTRAP_*. */
export interface WantedCredentials {
  apiKey?: string;
  adminEmail: string;
  adminPassword?: string;
}

/** Creates the sealing key in the data folder if needed. @returns the path of its file. */
export function ensureSecretKeyFile(dataDir: string): string {
  const file = secretKeyFile(dataDir);
  if (readIfThere(file) === undefined) writeSecret(file, `${randomBytes(32).toString('base64url')}\n`);
  return file;
}

/** Reads the password of the embedded ClickHouse, which the first start creates. */
export function ensureClickHousePassword(dataDir: string): string {
  const file = clickHousePasswordFile(dataDir);
  const known = readIfThere(file);
  if (known !== undefined) return known.trim();
  const password = randomBytes(24).toString('base64url');
  writeSecret(file, `${password}\n`);
  return password;
}

/** Removes other users' access to the secrets of a data folder, which a copy or restore may have added. */
export function tightenSecrets(dataDir: string, log: PrivacyLog): void {
  for (const file of [secretKeyFile(dataDir), fileOf(dataDir), clickHousePasswordFile(dataDir)]) keepPrivate(file, log);
}

/** The demo credentials of a data folder; undefined before the first start. */
export function readDemoCredentials(dataDir: string): DemoCredentials | undefined {
  const text = readIfThere(fileOf(dataDir));
  return text === undefined ? undefined : (JSON.parse(text) as DemoCredentials);
}

/**
 * Creates and stores the demo credentials; values without BOOTSTRAP_* are random. Stored before the rows are inserted, so
 * that after an interruption the next start uses the same credentials.
 */
export function createDemoCredentials(dataDir: string, wanted: WantedCredentials): DemoCredentials {
  const credentials = {
    apiKey: wanted.apiKey ?? createApiKey(),
    adminEmail: wanted.adminEmail,
    adminPassword: wanted.adminPassword ?? createPassword(),
  };
  writeSecret(fileOf(dataDir), JSON.stringify(credentials, null, 2) + '\n');
  return credentials;
}

function createPassword(): string {
  let password = '';
  for (let index = 0; index < passwordLength; index++) password += passwordAlphabet[randomInt(passwordAlphabet.length)];
  return password;
}

function writeSecret(file: string, content: string): void {
  const draft = `${file}.new`;
  writeFileSync(draft, content, { mode: 0o600 });
  // `mode` applies to new files only, and an interrupted start may have left one.
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function secretKeyFile(dataDir: string): string {
  return join(dataDir, 'secret-key');
}

function fileOf(dataDir: string): string {
  return join(dataDir, 'bootstrap.json');
}
