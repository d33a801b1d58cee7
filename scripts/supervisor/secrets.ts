import { randomBytes, randomInt } from 'node:crypto';
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepPrivate, type PrivacyLog } from '#adapters/machine/private-files.ts';
import type { DemoCredentials } from '#commands/organizations/demo.ts';
import { createApiKey } from '#core/organizations/api-key.ts';

// Without characters that look alike.
const passwordAlphabet = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const passwordLength = 20;

/** The demo credentials that an operator has set by BOOTSTRAP_*. */
export interface WantedCredentials {
  apiKey?: string;
  adminEmail: string;
  adminPassword?: string;
}

/** Reads the key that seals secrets from the data folder, making it the first time. @returns path of its file. */
export function ensureSecretKeyFile(dataDir: string): string {
  const file = secretKeyFile(dataDir);
  if (readIfThere(file) === undefined) writeSecret(file, `${randomBytes(32).toString('base64url')}\n`);
  return file;
}

/** Takes other users' rights to the secrets of a data folder away, which a copy or a restore may have given them. */
export function tightenSecrets(dataDir: string, log: PrivacyLog): void {
  for (const file of [secretKeyFile(dataDir), fileOf(dataDir)]) keepPrivate(file, log);
}

/** The demo credentials of a data folder; undefined before the first start. */
export function readDemoCredentials(dataDir: string): DemoCredentials | undefined {
  const text = readIfThere(fileOf(dataDir));
  return text === undefined ? undefined : (JSON.parse(text) as DemoCredentials);
}

/**
 * Makes the demo credentials and keeps them (11.2); what BOOTSTRAP_* does not set is random. Written before the
 * rows are: a start that is cut off in between makes them the next time from the same credentials.
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
  // The mode counts only for a new file, and one may be left from a start that was cut off.
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
