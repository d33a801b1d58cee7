import { readFileSync } from 'node:fs';
import { descendants } from '#test/support/process-tree.ts';

// Children that only prepare the database or bundle end before the product is ready.
const parts: readonly [RegExp, string][] = [
  [/^npm /, 'npm'],
  [/scripts\/start\.ts/, 'supervisor'],
  [/ server start-dev /, 'Temporal'],
  [/worker\.ts/, 'worker'],
  [/^postgres|\/postgres /, 'PostgreSQL'],
  [/server\.ts/, 'API and edge'],
];

/** Megabytes of PSS of one `npm start` by part: pages that processes share are divided among them. */
export function readProductMemory(rootPid: number): { total: number; parts: string } {
  const found = new Map<string, number>();
  for (const pid of [rootPid, ...descendants(rootPid)]) {
    const kilobytes = Number(/^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);
    const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
    const part = parts.find(([pattern]) => pattern.test(command))?.[1] ?? 'others';
    found.set(part, (found.get(part) ?? 0) + (kilobytes * 1_024) / 1e6);
  }
  const sorted = [...found].toSorted(([, one], [, other]) => other - one);
  return {
    total: Math.round(sorted.reduce((sum, [, mb]) => sum + mb, 0)),
    parts: sorted.map(([part, mb]) => `${part} ${Math.round(mb)}`).join(', '),
  };
}

/** Empty for a process that has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
