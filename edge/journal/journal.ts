import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { JournalOffset } from '#core/clicks/journal-offset.ts';
import { beat, unseenMs } from './owner.ts';
import { forgetJournalDirectory, makeJournalDirectory, segmentPath } from './segments.ts';

/** A record cannot be written now: the disk is full or fails, or the journal has reached its limit of bytes. */
export class JournalError extends Error {
  constructor(cause: unknown) {
    super(`The journal cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'JournalError';
  }
}

/** Called once a record is on disk, or with the error of its write. */
type OnWritten = (error?: JournalError) => void;

/** Keeps clicks on disk until they are in the database. */
export type Journal = ReturnType<typeof createJournal>;

interface JournalOptions {
  /** Folder of all journals: `WAYMARK_DATA_DIR/journal` of the edge. */
  root: string;
  /** Whether a record counts as written only once the disk has it. */
  fsync: boolean;
  /** Most bytes of segments on disk; records beyond it are refused. 0: no limit. */
  maxBytes?: number;
  segmentBytes?: number;
  /** Called with the error when records cannot be written any more, and with undefined when they can again. */
  onTrouble?(error: JournalError | undefined): void;
  /** Called once when another process has adopted this journal: it took this process for dead. No write succeeds after that. */
  onLost?(): void;
  /** How long after a beat no other process can have adopted the journal. */
  silenceMs?: number;
  /** A record waits no longer than this and one turn of the event loop for others that share its write. */
  gatherMs?: number;
}

const defaultSegmentBytes = 16 * 1_024 * 1_024;
const bufferBytes = 1_024 * 1_024;
// A turn of the event loop accepts one connection (libuv), so visitors who come on a connection each bring one record a turn. With
// up to 16 records in a write in place of one, such a visit took a quarter less processor time (bench row R4); 32 gained no more.
const gatheredLines = 16;
// Little beside the time to an answer under load, and beside the 10 ms in which the click of a visit must be on disk
// before a new cap counts it (edge/shipper/shipper.ts).
const defaultGatherMs = 1;
// UTF-8 takes at most three bytes for a UTF-16 unit.
const bytesPerUnit = 3;
// Room comes back a segment at a time.
const leastSegments = 4;
// The disk has no room, the user's quota is used up, files may not be that large.
const fullCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const beatEveryMs = 2_000;
// Room for some two hundred records.
const roomBytes = 64 * 1_024;

/**
 * Opens a new journal: segments of lines in a directory `<root>/<uuid>`. Records that come together go to the kernel in one
 * write, which survives the death of the process; with `fsync` they survive a loss of power too, one sync for a group.
 * On a full disk the journal opens with the first record that there is room for.
 * @throws Error when the directory cannot be made for another reason.
 */
export function createJournal(options: JournalOptions) {
  const { root, fsync, maxBytes = 0, onTrouble, onLost, silenceMs = unseenMs } = options;
  const { gatherMs = defaultGatherMs } = options;
  const mostBytes = maxBytes === 0 ? Number.POSITIVE_INFINITY : maxBytes;
  const segmentBytes = Math.min(options.segmentBytes ?? defaultSegmentBytes, Math.ceil(mostBytes / leastSegments));
  const id = randomUUID();
  const directory = join(root, id);
  const buffer = Buffer.allocUnsafe(bufferBytes);
  let segment = 0;
  let position = 0;
  /** Bytes before each segment, by its number. */
  const starts = [0, 0];
  /** The oldest segment that is still on disk. */
  let firstSegment = 1;
  let hasDirectory = false;
  let isStuck = false;
  let descriptor = -1;
  let lines: string[] = [];
  let callbacks: OnWritten[] = [];
  let isScheduled = false;
  let gatheringSinceMs = 0;
  let isClosed = false;
  let isLost = false;
  let beatAt = { here: performance.now(), everywhere: Date.now() };
  let unsynced: OnWritten[] = [];
  let isSyncing = false;
  let listener: (() => void) | undefined;
  let onSynced: (() => void) | undefined;

  function openSegment(): void {
    if (!hasDirectory) makeJournalDirectory(root, id);
    hasDirectory = true;
    const next = openSync(segmentPath(directory, segment + 1), 'wx', 0o600);
    if (fsync) {
      if (descriptor !== -1) fdatasyncSync(descriptor);
      syncDirectory(directory);
    }
    const last = descriptor;
    // A sync under way must not find the number given to another file.
    if (isSyncing) unsynced.push(() => closeSync(last));
    else if (last !== -1) closeSync(last);
    descriptor = next;
    starts[segment + 1] = starts[segment]! + position;
    segment += 1;
    position = 0;
  }

  /** Writes the bytes gathered at `at`, and returns where they end. */
  function write(length: number, at: number): number {
    let written = 0;
    while (written < length) written += writeSync(descriptor, buffer, written, length - written, at + written);
    return at + length;
  }

  /** Writes the waiting records when a turn has brought no further one, or when they are enough. */
  function flushGathered(linesBefore: number): void {
    const isGathering = lines.length > linesBefore && lines.length < gatheredLines;
    if (isGathering && performance.now() - gatheringSinceMs < gatherMs) setImmediate(flushGathered, lines.length);
    else flush();
  }

  function flush(): void {
    isScheduled = false;
    if (lines.length === 0) return;
    const batch = lines;
    const written = callbacks;
    lines = [];
    callbacks = [];
    try {
      checkOwner();
      checkRoom(batch);
      if (descriptor === -1 || position >= segmentBytes) openSegment();
      let end = position;
      let used = 0;
      for (const line of batch) {
        if (used + line.length * bytesPerUnit > bufferBytes) {
          end = write(used, end);
          used = 0;
        }
        used += buffer.write(line, used);
      }
      position = write(used, end);
    } catch (error) {
      if (descriptor !== -1) forget();
      const trouble = new JournalError(error);
      tellTrouble(trouble);
      for (const callback of written) callback(trouble);
      return;
    }
    if (fsync) {
      unsynced.push(...written);
      sync();
    } else {
      tellTrouble(undefined);
      for (const callback of written) callback();
    }
    listener?.();
  }

  /** @throws Error when another process has adopted the journal: it would remove new records with the files. */
  function checkOwner(): void {
    // Not every clock goes on while a machine is suspended.
    const silentMs = Math.max(performance.now() - beatAt.here, Math.abs(Date.now() - beatAt.everywhere));
    if (silentMs > silenceMs) showLife();
    if (isLost) throw new Error('another process took this one for dead, and the journal with it');
  }

  /** Updates the owner file, by which other processes see that this one is alive. */
  function showLife(): void {
    if (!hasDirectory || isLost) return;
    try {
      isLost = !beat(directory);
    } catch {
      // An error of the file system does not mean that another process has adopted the journal.
      return;
    }
    beatAt = { here: performance.now(), everywhere: Date.now() };
    if (isLost) onLost?.();
  }

  /** @throws Error where a batch would not fit into the journal's room. */
  function checkRoom(batch: readonly string[]): void {
    // Counting the bytes costs time.
    if (maxBytes === 0) return;
    requireRoom(batch.reduce((sum, line) => sum + Buffer.byteLength(line), 0));
  }

  /** @throws Error where so many bytes would not fit into the journal's room. */
  function requireRoom(size: number): void {
    if (maxBytes === 0) return;
    const used = starts[segment]! + position - starts[firstSegment]!;
    if (used + size > maxBytes) throw new Error(`it has reached its limit of ${maxBytes} bytes`);
  }

  function tellTrouble(error: JournalError | undefined): void {
    const wasStuck = isStuck;
    isStuck = error !== undefined;
    if (isStuck !== wasStuck) onTrouble?.(error);
  }

  /** Truncates the file to its last good record after a failed write. */
  function forget(): void {
    try {
      ftruncateSync(descriptor, position);
    } catch {
      // The next write goes to the same place.
    }
  }

  function sync(): void {
    if (isSyncing || unsynced.length === 0) {
      if (!isSyncing) onSynced?.();
      return;
    }
    const group = unsynced;
    unsynced = [];
    isSyncing = true;
    fdatasync(descriptor, (error) => {
      isSyncing = false;
      const trouble = error === null ? undefined : new JournalError(error);
      tellTrouble(trouble);
      for (const callback of group) callback(trouble);
      sync();
    });
  }

  try {
    openSegment();
  } catch (error) {
    if (!fullCodes.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    tellTrouble(new JournalError(error));
  }
  const beats = setInterval(showLife, beatEveryMs);
  beats.unref();

  return {
    id,
    directory,
    /** Adds a line, its newline included, to the one write of this turn of the event loop, or of it and the next ones under load. */
    append(line: string, onWritten: OnWritten): void {
      // The descriptor of a closed file may belong to another file or a connection by now.
      if (isClosed) return onWritten(new JournalError('it is closed'));
      lines.push(line);
      callbacks.push(onWritten);
      if (isScheduled) return;
      isScheduled = true;
      gatheringSinceMs = performance.now();
      setImmediate(flushGathered, 0);
    },
    /** The end of everything written. Until the first segment is open it counts as empty. */
    end: (): JournalOffset => ({ segment: Math.max(segment, 1), position }),
    /** Notes that everything before an offset is in the database, and that the segments before its own are removed. */
    shippedTo(offset: JournalOffset): void {
      firstSegment = offset.segment;
    },
    /** Whether the last record could not be written. */
    isStuck: () => isStuck,
    /** Ends that where there is room again. Without it only a visit would, and an edge that is not ready gets none. */
    probe(): void {
      if (!isStuck || isClosed || isLost) return;
      const path = join(root, `.room-${id}`);
      try {
        const bytes = Buffer.alloc(Math.min(roomBytes, segmentBytes));
        requireRoom(bytes.length);
        mkdirSync(root, { recursive: true, mode: 0o700 });
        writeFileSync(path, bytes, { mode: 0o600, flush: fsync });
        tellTrouble(undefined);
      } catch {
        // It stays stuck.
      } finally {
        rmSync(path, { force: true });
      }
    },
    /** How many bytes have been written behind an offset. */
    bytesSince: (offset: JournalOffset): number =>
      starts[segment]! + position - (starts[offset.segment] ?? 0) - offset.position,
    /** Sets the one listener, which is called after each write. */
    onWrite(callback: () => void): void {
      listener = callback;
    },
    /** Writes the waiting records and closes the files; the directory stays. */
    async close(): Promise<void> {
      flush();
      isClosed = true;
      if (fsync) {
        await new Promise<void>((resolve) => {
          onSynced = resolve;
          sync();
        });
      }
      clearInterval(beats);
      if (descriptor !== -1) closeSync(descriptor);
      if (!hasDirectory) forgetJournalDirectory(root, id);
    },
  };
}

function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
