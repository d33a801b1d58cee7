import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine, processMark } from '#scripts/lib/lock.mjs';

/**
 * Finds the embedded PostgreSQL that runs on a data folder, whatever port it was started with. @returns its connection URL,
 * or undefined where none runs, or none that this user may see.
 */
export function findRunningPostgres(dataDir: string): string | undefined {
  const cluster = join(dataDir, 'postgres');
  const [password, pidFile] = [join(dataDir, 'postgres-password'), join(cluster, 'postmaster.pid')].map(readText);
  // Process id, data folder, start time, port, socket folder, address, shared memory, state.
  const [pid, , , port, , , , state] = (pidFile ?? '').split('\n').map((line) => line.trim());
  if (password === undefined || state !== 'ready' || processMark(Number(pid)) === undefined) return undefined;
  // After a crash of the machine, its process id may be somebody else's.
  if (!commandLine(Number(pid)).includes(`-D ${cluster} `)) return undefined;
  return `postgres://waymark:${password.trim()}@127.0.0.1:${port}/waymark`;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
