import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { UsageError } from './errors.js';

/** @typedef {{ host: string, key: string }} Profile */

/** Behind a query or fragment, the paths of calls would be a part of it. @param {string} text */
export const isApiAddress = (text) => URL.canParse(text) && /^https?:\/\/[^?#]+$/i.test(text);

/** The file of all profiles. @param {NodeJS.ProcessEnv} env */
export function profilesFile(env) {
  return join(env.XDG_CONFIG_HOME || join(env.HOME ?? homedir(), '.config'), 'waymark', 'profiles.json');
}

/**
 * Reads a profile. @param {NodeJS.ProcessEnv} env @param {string} [name]
 * @returns {Profile | undefined} @throws UsageError where one that is named is missing
 */
export function readProfile(env, name) {
  const wanted = name ?? env.WAYMARK_PROFILE;
  const profile = readAll(env)[wanted ?? 'default'];
  if (profile === undefined && wanted !== undefined)
    throw new UsageError(`There is no profile ${wanted}: run \`waymark login --profile ${wanted}\`.`, 4);
  return profile;
}

/** Stores a profile, or removes it; only its owner can read the file. @param {NodeJS.ProcessEnv} env @param {string} name @param {Profile} [profile] */
export function writeProfile(env, name, profile) {
  const file = profilesFile(env);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  const all = { ...readAll(env), [name]: profile };
  writeFileSync(draft, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

/** @returns {Record<string, Profile>} */
function readAll(env) {
  let text;
  try {
    text = readFileSync(profilesFile(env), 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    throw error;
  }
  try {
    return { ...JSON.parse(text) };
  } catch {
    throw new UsageError(`${profilesFile(env)} is no JSON: mend or remove it.`);
  }
}
