import { readdirSync, readFileSync } from 'node:fs';

/** Memory of the processes of one `npm start`, in bytes of PSS: pages that processes share are divided among them. */
export interface ProductMemory {
  total: number;
  /** By part: npm, supervisor, PostgreSQL, Temporal, API, edge, worker. */
  parts: ReadonlyMap<string, number>;
}

// Children that only prepare the database or bundle end before the product is ready.
const parts: readonly [RegExp, string][] = [
  [/^npm /, 'npm'],
  [/scripts\/start\.ts/, 'supervisor'],
  [/ server start-dev /, 'Temporal'],
  [/worker\.ts/, 'worker'],
  [/^postgres|\/postgres /, 'PostgreSQL'],
];

/** Reads the memory of a process and all its descendants. */
export function readProductMemory(rootPid: number): ProductMemory {
  const found = new Map<string, number>();
  for (const pid of withDescendants(rootPid)) {
    const pss = readPss(pid);
    const part = partOf(pid);
    if (pss > 0) found.set(part, (found.get(part) ?? 0) + pss);
  }
  return { total: [...found.values()].reduce((sum, bytes) => sum + bytes, 0), parts: found };
}

function withDescendants(rootPid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? read(`/proc/${name}/stat`) : '';
    // The command's name is in brackets and may have blanks; state and parent follow it.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    if (stat !== '') parents.set(Number(name), parent);
  }
  const all = [rootPid];
  for (const pid of all) for (const [child, parent] of parents) if (parent === pid) all.push(child);
  return all;
}

function readPss(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) * 1_024;
}

function partOf(pid: number): string {
  const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
  const known = parts.find(([pattern]) => pattern.test(command))?.[1];
  if (known !== undefined) return known;
  if (!command.includes('server.ts')) return 'others';
  return read(`/proc/${pid}/environ`).includes('SERVE=edge') ? 'edge' : 'API';
}

/** Empty for a process that has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
