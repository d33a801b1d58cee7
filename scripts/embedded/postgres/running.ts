import { join } from 'node:path';
import { commandLine, processMark, readText } from '#scripts/lib/lock.mjs';

/**
 * Finds the running embedded PostgreSQL of a data folder, on any port. Kept apart from `postgres.ts`, because the container image
 * has no embedded PostgreSQL.
 * @returns its connection URL; undefined where none runs or this user may not see it.
 */
export function findRunningPostgres(dataDir: string): string | undefined {
  const cluster = join(dataDir, 'postgres');
  const [password, pidFile] = [join(dataDir, 'postgres-password'), join(cluster, 'postmaster.pid')].map(readText);
  // Process id, data folder, start time, port, socket folder, address, shared memory, state.
  const [pid, , , port, , , , state] = (pidFile ?? '').split('\n').map((line) => line.trim());
  if (password === undefined || state !== 'ready' || processMark(Number(pid)) === undefined) return undefined;
  // After a crash of the machine another process may have this id.
  if (!commandLine(Number(pid)).includes(`-D ${cluster} `)) return undefined;
  return `postgres://waymark:${password.trim()}@127.0.0.1:${port}/waymark`;
}
