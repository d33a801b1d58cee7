import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { JournalOffset } from '#core/clicks/journal-offset.ts';
import { ownerFile, writeOwner } from './owner.ts';

const segmentName = /^(\d{8})\.tsv$/;
const journalName = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const rejectedSuffix = '.rejected';
const newline = 0x0a;

/** Whole lines of one segment, as they are shipped. */
export interface Chunk {
  bytes: Buffer;
  /** Where `bytes` begin. */
  start: JournalOffset;
}

/** Creates a journal's directory, signed by this process before others can see it. May be tried again after a failure. */
export function makeJournalDirectory(root: string, id: string): void {
  const hidden = hiddenPath(root, id);
  // Clicks are personal data: other users of the machine may not read them.
  mkdirSync(hidden, { recursive: true, mode: 0o700 });
  writeOwner(hidden);
  renameSync(hidden, join(root, id));
}

/** Removes the rest of a directory whose creation failed. */
export function forgetJournalDirectory(root: string, id: string): void {
  rmSync(hiddenPath(root, id), { recursive: true, force: true });
}

function hiddenPath(root: string, id: string): string {
  return join(root, `.${id}`);
}

/** Path of a journal's segment; segments are numbered from 1. */
export function segmentPath(directory: string, segment: number): string {
  return join(directory, `${String(segment).padStart(8, '0')}.tsv`);
}

/** Path of the dead letters: records that the database refused. */
export function rejectedPath(directory: string, segment: number): string {
  return segmentPath(directory, segment) + rejectedSuffix;
}

/** Ids of the journals in a folder; none where there is no folder. */
export async function listJournals(root: string): Promise<string[]> {
  return (await namesIn(root)).filter((name) => journalName.test(name));
}

/** Whether a journal has files to ship or to remove; dead letters alone do not count. */
export async function isUnfinished(directory: string): Promise<boolean> {
  return (await namesIn(directory)).some((name) => !name.endsWith(rejectedSuffix));
}

/** Counts the dead-lettered records of all journals in a folder. */
export async function countRejected(root: string): Promise<number> {
  let count = 0;
  for (const id of await listJournals(root)) {
    const names = (await namesIn(join(root, id))).filter((name) => name.endsWith(rejectedSuffix));
    for (const name of names) count += await countLines(join(root, id, name));
  }
  return count;
}

/** The end of a journal by the size of its last file. */
export async function endOfFiles(directory: string): Promise<JournalOffset> {
  const segment = (await listSegments(directory)).at(-1);
  if (segment === undefined) return { segment: 1, position: 0 };
  return { segment, position: (await stat(segmentPath(directory, segment))).size };
}

/**
 * Reads whole lines from `from` on, as many of one segment as `buffer` holds; null at the end. A line without a newline is
 * skipped: its writer died or went on in the next segment, so the click was never acknowledged.
 * @param end nothing beyond it is read.
 * @param buffer holds the lines until its next use.
 */
export async function readChunk(
  directory: string,
  from: JournalOffset,
  end: JournalOffset,
  buffer: Buffer,
): Promise<Chunk | null> {
  let { segment, position } = from;
  while (segment <= end.segment) {
    const limit = segment === end.segment ? Math.min(buffer.length, end.position - position) : buffer.length;
    const length = limit > 0 ? await readAt(segmentPath(directory, segment), position, buffer.subarray(0, limit)) : 0;
    const bytes = buffer.subarray(0, length);
    const wholeLines = bytes.lastIndexOf(newline) + 1;
    if (wholeLines > 0) return { bytes: bytes.subarray(0, wholeLines), start: { segment, position } };
    // No record is that long: bytes without a newline that fill the buffer are shipped as one record, which is refused.
    if (length === buffer.length) return { bytes, start: { segment, position } };
    segment += 1;
    position = 0;
  }
  return null;
}

export async function removeSegmentsBefore(directory: string, segment: number): Promise<void> {
  for (const shipped of await listSegments(directory)) {
    if (shipped < segment) await rm(segmentPath(directory, shipped), { force: true });
  }
}

/** Removes a journal that is shipped whole; dead letters stay. The owner's file goes last. */
export async function removeJournal(directory: string): Promise<void> {
  await removeSegmentsBefore(directory, Number.POSITIVE_INFINITY);
  const hasRejected = (await namesIn(directory)).some((name) => name.endsWith(rejectedSuffix));
  if (hasRejected) await rm(join(directory, ownerFile), { force: true });
  else await rm(directory, { recursive: true, force: true });
}

async function listSegments(directory: string): Promise<number[]> {
  const numbers = (await namesIn(directory)).map((name) => Number(segmentName.exec(name)?.[1] ?? 0));
  return numbers.filter((segment) => segment > 0).toSorted((a, b) => a - b);
}

/** Reads into a buffer from a position; 0 bytes where there is no such file. */
async function readAt(path: string, position: number, buffer: Buffer): Promise<number> {
  let file;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
  try {
    return (await file.read(buffer, 0, buffer.length, position)).bytesRead;
  } finally {
    await file.close();
  }
}

async function countLines(path: string): Promise<number> {
  const file = await open(path, 'r');
  try {
    let count = 0;
    for await (const _line of file.readLines()) count += 1;
    return count;
  } finally {
    await file.close();
  }
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
