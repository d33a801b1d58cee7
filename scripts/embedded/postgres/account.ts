import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { StartError } from '#scripts/embedded/start-error.ts';

/** A command that runs as the account of PostgreSQL. */
interface AccountCommand {
  command: string;
  args: string[];
  uid?: number;
  gid?: number;
}

/** The account that PostgreSQL runs as: the current user, or another one when the current user is root. */
export interface PostgresAccount {
  /** Absent: the current user. */
  ids?: { uid: number; gid: number };
  /** Wraps a command so that it runs as this account and reaches `paths` even through closed folders. */
  wrap(command: string, args: string[], paths: readonly string[]): AccountCommand;
}

const userName = 'postgres';

/**
 * Chooses the account. PostgreSQL refuses to run as root; it then runs as the owner of the existing data, otherwise as the user
 * `postgres`, which is created where the system has none.
 * @throws StartError when no such user can be created.
 */
export function postgresAccount(dataFolder: string): PostgresAccount {
  if (process.getuid?.() !== 0) return { wrap: (command, args) => ({ command, args }) };
  const ids = ownerOf(dataFolder) ?? systemUser() ?? createSystemUser();
  return { ids, wrap: (command, args, paths) => wrapAs(ids, command, args, paths) };
}

function wrapAs(
  ids: { uid: number; gid: number },
  command: string,
  args: string[],
  paths: readonly string[],
): AccountCommand {
  const closed = [command, ...paths].map((path) => closedParent(path, ids)).find((folder) => folder !== undefined);
  if (closed === undefined) return { command, args, ...ids };
  // Other users cannot enter a checkout or data folder below /root. The capability DAC_OVERRIDE, which root may pass on, lets
  // PostgreSQL enter it; its user id is not root's, so it starts.
  const setpriv = findSetpriv();
  if (setpriv === undefined) {
    throw new StartError(
      `PostgreSQL cannot run as root, and the user it runs as (uid ${ids.uid}) may not enter ${closed}.\n` +
        `Run chmod o+x ${closed}, start as another user than root, or set DATABASE_URL.`,
    );
  }
  const privileges = [`--reuid=${ids.uid}`, `--regid=${ids.gid}`, '--clear-groups'];
  // Without the securebit the kernel ignores the capability in access(2), by which initdb finds its programs.
  const capability = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--securebits=+no_setuid_fixup'];
  return { command: setpriv, args: [...privileges, ...capability, '--', command, ...args] };
}

function ownerOf(folder: string): { uid: number; gid: number } | undefined {
  if (!existsSync(folder)) return undefined;
  const { uid, gid } = statSync(folder);
  return uid === 0 ? undefined : { uid, gid };
}

function systemUser(): { uid: number; gid: number } | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, userName], { encoding: 'utf8' }));
  if (uid?.status !== 0 || gid?.status !== 0) return undefined;
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

function createSystemUser(): { uid: number; gid: number } {
  const made =
    spawnSync('/usr/sbin/useradd', ['--system', '--user-group', '--no-create-home', userName]).status === 0 ||
    // The useradd of BusyBox.
    spawnSync('/usr/sbin/adduser', ['-S', '-D', '-H', userName]).status === 0;
  const ids = made ? systemUser() : undefined;
  if (ids !== undefined) return ids;
  throw new StartError(
    `PostgreSQL cannot run as root, and a user named ${userName} could not be made.\n` +
      'Make one, start as another user than root, or set DATABASE_URL.',
  );
}

/** The first parent folder of `path` that the account may not enter. `path` need not exist. */
function closedParent(path: string, { uid, gid }: { uid: number; gid: number }): string | undefined {
  const folders: string[] = [];
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (folder === dirname(folder)) break;
  }
  return folders.find((folder) => {
    if (!existsSync(folder)) return false;
    const stats = statSync(folder);
    const bit = stats.uid === uid ? 0o100 : stats.gid === gid ? 0o010 : 0o001;
    return (stats.mode & bit) === 0;
  });
}

function findSetpriv(): string | undefined {
  return ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
