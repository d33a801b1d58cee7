// Plain JavaScript without dependencies, because scripts/bootstrap.mjs uses it before anything is installed.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const breakerAgeMs = 10_000;
const pollMs = 200;

export function processMark(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the name in brackets, which may contain spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    if (process.platform === 'linux') return undefined;
  }
  try {
    const [state, ...started] = ps(pid, 'state=,lstart=').split(/\s+/);
    return state === undefined || state === '' || state.startsWith('Z') ? undefined : started.join(' ');
  } catch {
    return undefined;
  }
}

export function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    if (process.platform === 'linux') return '';
  }
  try {
    return ps(pid, 'args=');
  } catch {
    return '';
  }
}

export function makeFolder(path, mode) {
  if (!existsSync(dirname(path))) makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (error.code !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}

export function acquireLock(path) {
  makeFolder(dirname(path));
  const mine = JSON.stringify({ pid: process.pid, mark: processMark(process.pid) });
  const draft = `${path}.${randomUUID()}`;
  // A hard link appears with its content; a file that is created and then written may be read empty.
  writeFileSync(draft, mine, { mode: 0o644 });
  try {
    for (let attempt = 0; attempt < 100; attempt++) {
      if (tryLink(draft, path)) return { release: () => releaseLock(path, mine) };
      const held = readText(path);
      if (held === undefined) continue;
      const holder = liveHolder(held);
      if (holder !== undefined) return { holder };
      breakLock(path, held, draft);
    }
    throw new Error(`the lock ${path} changes hands too fast`);
  } finally {
    remove(draft);
  }
}

export async function waitForLock(path, { deadlineMs, onWait = () => {}, onWaitEveryMs = Infinity, signal }) {
  const startedAt = performance.now();
  let toldAt;
  for (;;) {
    signal?.throwIfAborted();
    const lock = acquireLock(path);
    if (lock.holder === undefined) return lock;
    const now = performance.now();
    if (now - startedAt > deadlineMs) return lock;
    if (toldAt === undefined || now - toldAt >= onWaitEveryMs) {
      toldAt = now;
      onWait(lock.holder, now - startedAt);
    }
    await new Promise((wake) => setTimeout(wake, pollMs));
  }
}

function liveHolder(content) {
  try {
    const { pid, mark } = JSON.parse(content);
    return mark !== undefined && processMark(pid) === mark ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Removes a dead holder's lock, under a second lock: otherwise it could remove a lock that was just acquired. */
function breakLock(path, deadContent, draft) {
  const breaker = `${path}.break`;
  if (!tryLink(draft, breaker)) {
    if (ageMs(breaker) > breakerAgeMs) remove(breaker);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    return;
  }
  try {
    if (readText(path) === deadContent) remove(path);
  } finally {
    remove(breaker);
  }
}

function releaseLock(path, mine) {
  if (readText(path) === mine) remove(path);
}

function tryLink(from, to) {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

export function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function remove(path) {
  try {
    unlinkSync(path);
  } catch {
    // Another process has removed it.
  }
}

function ageMs(path) {
  try {
    // ctime, because the link shares inode and mtime with the draft.
    return Date.now() - statSync(path).ctimeMs;
  } catch {
    return 0;
  }
}

function ps(pid, columns) {
  const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
  return execFileSync('ps', ['-ww', '-o', columns, '-p', String(pid)], options).trim();
}
