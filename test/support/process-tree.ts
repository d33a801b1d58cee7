import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Ids of all processes below one, at any depth. */
export function descendants(pid: number): number[] {
  const parents = process.platform === 'linux' ? parentsByProc() : parentsByPs();
  const found = [pid];
  // Grows while it is walked.
  for (const parent of found)
    found.push(...parents.filter((entry) => entry.parent === parent).map((entry) => entry.pid));
  return found.slice(1);
}

interface Entry {
  pid: number;
  parent: number;
}

function parentsByProc(): Entry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        return [{ pid: Number(name), parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) }];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    });
}

function parentsByPs(): Entry[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return lines.map((line) => {
    const [pid, parent] = line.trim().split(/\s+/).map(Number);
    return { pid: pid!, parent: parent! };
  });
}
