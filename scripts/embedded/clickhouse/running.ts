import { join } from 'node:path';
import { commandLine, processMark, readText } from '#scripts/lib/lock.mjs';

/** File with process id and port of the embedded ClickHouse that was started last on a data folder. */
export const clickHousePidFile = (dataDir: string): string => join(dataDir, 'clickhouse.pid');
/** File with its password. */
export const clickHousePasswordFile = (dataDir: string): string => join(dataDir, 'clickhouse-password');

/** URL of the database `default`, with the password. */
export const clickHouseUrlOf = (password: string, port: number | string): string =>
  `http://default:${encodeURIComponent(password)}@127.0.0.1:${port}/default`;

/**
 * Finds the running embedded ClickHouse of a data folder, on any port. Kept apart from `clickhouse.ts`, because the container image
 * has no embedded ClickHouse.
 * @returns its URL; undefined where none runs or this user may not see it.
 */
export function findRunningClickHouse(dataDir: string): string | undefined {
  const [password, pidFile] = [clickHousePasswordFile(dataDir), clickHousePidFile(dataDir)].map(readText);
  const [pid, port] = (pidFile ?? '').split('\n');
  if (password === undefined || port === undefined || processMark(Number(pid)) === undefined) return undefined;
  // After a crash of the machine another process may have this id.
  if (!commandLine(Number(pid)).includes(` ${join(dataDir, 'clickhouse')} ${port}`)) return undefined;
  return clickHouseUrlOf(password.trim(), port);
}
