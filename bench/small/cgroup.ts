import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A group of processes with a limit of memory, the files that they read included. */
export interface MemoryGroup {
  /** Moves this process into the group: children that it starts from now on belong to it. */
  enter(): void;
  /** Moves this process back. */
  leave(): void;
  /** How often the kernel has ended a process for lack of memory. */
  kills(): number;
  /** Call it when all processes of the group have ended. */
  remove(): void;
}

const mount = '/sys/fs/cgroup/memory';

/**
 * Creates a group below this process's own one (cgroup v1, which needs root).
 * @returns undefined where that is not possible.
 */
export function createMemoryGroup(limitBytes: number): MemoryGroup | undefined {
  const own = /^\d+:memory:(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
  if (own === undefined || !existsSync(join(mount, own))) return undefined;
  const outer = join(mount, own);
  const folder = join(outer, `waymark-small-${process.pid}`);
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const move = (group: string): void => writeFileSync(join(group, 'cgroup.procs'), String(process.pid));
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, 'memory.limit_in_bytes'), String(limitBytes));
  } catch {
    return undefined;
  }
  return {
    enter: () => move(folder),
    leave: () => move(outer),
    kills: () => Number(/^oom_kill (\d+)$/m.exec(read('memory.oom_control'))?.[1] ?? 0),
    remove: () => rmdirSync(folder),
  };
}
