import { spawnSync } from 'node:child_process';

/** Finds a Python that can build and install the SDK: 3.10 or newer, with pip. @returns its program; undefined where there is none. */
export function findPython(): string | undefined {
  const check = 'import sys, pip, venv; sys.exit(sys.version_info < (3, 10))';
  return ['python3', 'python'].find((program) => spawnSync(program, ['-c', check]).status === 0);
}
