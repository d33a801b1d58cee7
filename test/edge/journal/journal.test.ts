import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { JournalOffset } from '#core/clicks/journal-offset.ts';
import { createJournal, type Journal, JournalError } from '#edge/journal/journal.ts';
import { createOwnerWatch, ownerFile } from '#edge/journal/owner.ts';
import {
  countRejected,
  endOfFiles,
  isUnfinished,
  listJournals,
  readChunk,
  rejectedPath,
  removeJournal,
  removeSegmentsBefore,
  segmentPath,
} from '#edge/journal/segments.ts';
import { makeFolder } from '#test/support/folders.ts';
import { isNight } from '#test/support/night.ts';

const root = makeFolder();

const append = (journal: Journal, line: string): Promise<void> =>
  new Promise((resolve, reject) => {
    journal.append(line, (error) => (error === undefined ? resolve() : reject(error)));
  });

const content = (directory: string, segment = 1): string => readFileSync(segmentPath(directory, segment), 'utf8');

describe.each([false, true])('a journal, fsync %s', (fsync) => {
  test('acknowledges a record once it is on disk, the records of one tick together', async () => {
    const journal = createJournal({ root, fsync });
    const written: string[] = [];
    let writes = 0;
    journal.onWrite(() => (writes += 1));
    const lines = ['one\n', 'zwei ü 👩‍💻\n', 'three\n'];
    await Promise.all(
      lines.map((line) =>
        append(journal, line).then(() => {
          expect(content(journal.directory)).toContain(line);
          written.push(line);
        }),
      ),
    );
    expect(written).toEqual(lines);
    expect(writes).toBe(1);
    expect(content(journal.directory)).toBe(lines.join(''));
    expect(journal.end()).toEqual({ segment: 1, position: Buffer.byteLength(lines.join('')) });
    await journal.close();
  });

  test('writes the records of turns that follow each other together, 16 at most', async () => {
    const journal = createJournal({ root, fsync, gatherMs: Number.POSITIVE_INFINITY });
    const writes: number[] = [];
    journal.onWrite(() => writes.push(content(journal.directory).length / 2));
    const appended: Promise<void>[] = [];
    for (let turn = 0; turn < 20; turn += 1) {
      appended.push(append(journal, '.\n'));
      await setImmediate();
    }
    await Promise.all(appended);
    expect(writes).toEqual([16, 20]);
    await journal.close();
  });

  test('does not let a record wait longer than its time for those of further turns', async () => {
    const journal = createJournal({ root, fsync, gatherMs: 0 });
    let writes = 0;
    journal.onWrite(() => (writes += 1));
    const appended: Promise<void>[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      appended.push(append(journal, '.\n'));
      await setImmediate();
    }
    await Promise.all(appended);
    expect(writes).toBe(3);
    await journal.close();
  });

  test('continues in further segments with more records than its buffer holds', async () => {
    const journal = createJournal({ root, fsync, segmentBytes: 300_000 });
    const lines = Array.from({ length: 4_000 }, (_, index) => `${index} ${'ü'.repeat(250)}\n`);
    for (let index = 0; index < lines.length; index += 400) {
      await Promise.all(lines.slice(index, index + 400).map((line) => append(journal, line)));
    }
    const last = journal.end();
    expect(last.segment).toBeGreaterThan(3);
    await journal.close();
    const segments = Array.from({ length: last.segment }, (_, index) => content(journal.directory, index + 1));
    expect(segments.join('')).toBe(lines.join(''));
  });

  test('writes the waiting records when it is closed', async () => {
    const journal = createJournal({ root, fsync });
    const last = append(journal, 'last\n');
    await journal.close();
    await last;
    expect(content(journal.directory)).toBe('last\n');
  });
});

test('a record that cannot be written is not acknowledged, and leaves nothing behind', async () => {
  const journal = createJournal({ root, fsync: false, segmentBytes: 5 });
  await append(journal, 'first\n');
  // The next segment's name is taken by a directory.
  mkdirSync(segmentPath(journal.directory, 2));
  await expect(append(journal, 'second\n')).rejects.toThrow('EEXIST');
  expect(journal.end()).toEqual({ segment: 1, position: 6 });
  rmSync(segmentPath(journal.directory, 2), { recursive: true });
  await append(journal, 'third\n');
  await journal.close();
  expect([content(journal.directory), content(journal.directory, 2)]).toEqual(['first\n', 'third\n']);
});

describe('a journal with a limit', () => {
  const sizeOf = (directory: string): number =>
    readdirSync(directory)
      .filter((name) => name.endsWith('.tsv'))
      .reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);

  test('never exceeds its limit, refuses further records, and accepts records again once segments are removed', async () => {
    const maxBytes = 1_000;
    const troubles: (JournalError | undefined)[] = [];
    const journal = createJournal({ root, fsync: false, maxBytes, onTrouble: (error) => troubles.push(error) });
    const line = `${'ü'.repeat(24)}x\n`;
    for (let round = 0; round < 3; round += 1) {
      let written = sizeOf(journal.directory) / 50;
      await expect(
        (async () => {
          for (;;) {
            await append(journal, line);
            written += 1;
          }
        })(),
      ).rejects.toThrow(JournalError);
      expect(journal.isStuck()).toBe(true);
      expect(written * 50).toBe(maxBytes);
      expect(sizeOf(journal.directory)).toBe(maxBytes);
      // Shipping to the middle of a segment makes no room yet.
      const { segment } = journal.end();
      journal.shippedTo({ segment: segment - 3, position: 100 });
      await expect(append(journal, line)).rejects.toThrow('limit');
      await removeSegmentsBefore(journal.directory, segment);
      journal.probe();
      expect(journal.isStuck()).toBe(true);
      journal.shippedTo({ segment, position: 50 });
      // Without a visit too.
      if (round % 2 === 0) journal.probe();
      else await append(journal, line);
      expect(journal.isStuck()).toBe(false);
      expect(readdirSync(root).filter((name) => name.startsWith('.room'))).toEqual([]);
    }
    expect(troubles.map((error) => error !== undefined)).toEqual([true, false, true, false, true, false]);
    await journal.close();
  });

  test('refuses the records of one tick together when they do not fit together', async () => {
    const journal = createJournal({ root, fsync: false, maxBytes: 1_000 });
    const results = await Promise.allSettled(Array.from({ length: 3 }, () => append(journal, `${'x'.repeat(399)}\n`)));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await append(journal, `${'x'.repeat(999)}\n`);
    expect(sizeOf(journal.directory)).toBe(1_000);
    await journal.close();
  });
});

describe('reading segments', () => {
  const directoryWith = (...segments: string[]): string => {
    const directory = mkdtempSync(join(root, 'segments-'));
    for (const [index, text] of segments.entries()) writeFileSync(segmentPath(directory, index + 1), text);
    return directory;
  };

  /** Reads on until nothing is left. */
  async function readAll(
    directory: string,
    end: JournalOffset,
    maxBytes: number,
    from = { segment: 1, position: 0 },
  ): Promise<string[]> {
    const texts: string[] = [];
    for (;;) {
      const chunk = await readChunk(directory, from, end, Buffer.alloc(maxBytes));
      if (chunk === null) return texts;
      texts.push(chunk.bytes.toString());
      from = { segment: chunk.start.segment, position: chunk.start.position + chunk.bytes.length };
    }
  }

  test('reads whole lines, each once and in order, whatever the segments and chunks', async () => {
    const line = fc.stringMatching(/^[a-z]{0,20}$/).map((text) => `${text}\n`);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(line), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 21, max: 90 }),
        async (segments, maxBytes) => {
          const directory = directoryWith(...segments.map((lines) => lines.join('')));
          const end = await endOfFiles(directory);
          expect((await readAll(directory, end, maxBytes)).join('')).toBe(segments.flat().join(''));
          rmSync(directory, { recursive: true });
        },
      ),
      { numRuns: isNight ? 50 : 10 },
    );
  });

  test('skips a torn last line, in the middle and at the end', async () => {
    const directory = directoryWith('a\nb\nto', 'c\nrn');
    expect(await readAll(directory, await endOfFiles(directory), 100)).toEqual(['a\nb\n', 'c\n']);
  });

  test('reads nothing beyond the given end, where the writer may be writing', async () => {
    const directory = directoryWith('a\nb\n');
    expect(await readAll(directory, { segment: 1, position: 2 }, 100)).toEqual(['a\n']);
    expect(await readAll(directory, { segment: 1, position: 3 }, 100)).toEqual(['a\n']);
  });

  test('passes over removed segments and offsets beyond the end', async () => {
    const directory = directoryWith('a\n', 'b\n', 'c\n');
    rmSync(segmentPath(directory, 1));
    const end = await endOfFiles(directory);
    expect(await readAll(directory, end, 100)).toEqual(['b\n', 'c\n']);
    expect(await readAll(directory, end, 100, { segment: 2, position: 50 })).toEqual(['c\n']);
    expect(await readAll(directory, end, 100, { segment: 9, position: 0 })).toEqual([]);
  });

  test('bytes without a newline do not stop the records behind them', async () => {
    const directory = directoryWith(`${'x'.repeat(50)}\nb\n`);
    expect((await readAll(directory, await endOfFiles(directory), 20)).join('')).toBe(`${'x'.repeat(50)}\nb\n`);
  });

  test('removes shipped segments, then the rest, but no dead letters', async () => {
    const journal = createJournal({ root, fsync: false });
    await journal.close();
    writeFileSync(segmentPath(journal.directory, 2), 'b\n');
    await removeSegmentsBefore(journal.directory, 2);
    expect(readdirSync(journal.directory).toSorted()).toEqual(['00000002.tsv', ownerFile]);
    const before = await countRejected(root);
    writeFileSync(rejectedPath(journal.directory, 2), 'bad\nworse\n');
    expect(await countRejected(root)).toBe(before + 2);
    expect(await isUnfinished(journal.directory)).toBe(true);
    await removeJournal(journal.directory);
    expect(readdirSync(journal.directory)).toEqual(['00000002.tsv.rejected']);
    expect(await isUnfinished(journal.directory)).toBe(false);
    rmSync(rejectedPath(journal.directory, 2));
    await removeJournal(journal.directory);
    expect(await listJournals(root)).not.toContain(journal.id);
  });
});

describe('owners', () => {
  test('a process is alive as long as it runs', { tags: 'process' }, async () => {
    const journal = createJournal({ root, fsync: false });
    expect(createOwnerWatch()(journal.directory)).toBe('alive');
    const child = spawn('sleep', ['30']);
    const path = join(journal.directory, ownerFile);
    const owner = JSON.parse(readFileSync(path, 'utf8')) as { pid: number; startedAt: string };
    const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    writeFileSync(path, JSON.stringify({ ...owner, pid: child.pid, startedAt: stat[19] }));
    expect(createOwnerWatch()(journal.directory)).toBe('alive');
    child.kill();
    await once(child, 'exit');
    expect(createOwnerWatch()(journal.directory)).toBe('dead');
    // Another process with the number of one that has ended.
    writeFileSync(path, JSON.stringify({ ...owner, startedAt: '1' }));
    expect(createOwnerWatch()(journal.directory)).toBe('dead');
    await journal.close();
  });

  test('a process on another machine is silent after some time without a beat', async () => {
    const journal = createJournal({ root, fsync: false });
    const path = join(journal.directory, ownerFile);
    writeFileSync(path, JSON.stringify({ pid: 1, startedAt: '1', machine: 'elsewhere' }));
    const stateOf = createOwnerWatch(100);
    expect(stateOf(journal.directory)).toBe('alive');
    await setTimeout(120);
    writeFileSync(path, JSON.stringify({ pid: 1, startedAt: '1', machine: 'elsewhere' }));
    expect(stateOf(journal.directory)).toBe('alive');
    await setTimeout(120);
    expect(stateOf(journal.directory)).toBe('silent');
    await journal.close();
  });

  test.each(['taken over', 'removed'])(
    'a process that was suspended writes nothing to a journal that was %s meanwhile',
    async (what) => {
      // The clocks move as this test says: between two appends a busy machine takes longer than any bound.
      vi.useFakeTimers({ toFake: ['performance', 'Date'] });
      onTestFinished(() => void vi.useRealTimers());
      let lost = 0;
      const journal = createJournal({ root, fsync: false, silenceMs: 50, onLost: () => (lost += 1) });
      const append = () => new Promise((resolve) => journal.append('a line\n', resolve));
      expect(await append()).toBeUndefined();
      vi.advanceTimersByTime(60);
      // It looks, and it is its own.
      expect(await append()).toBeUndefined();
      const { position } = journal.end();
      const path = join(journal.directory, ownerFile);
      const other = JSON.stringify({ pid: 1, startedAt: '1', machine: 'elsewhere' });
      if (what === 'removed') rmSync(journal.directory, { recursive: true });
      else writeFileSync(path, other);
      // For so long no other process takes the files for complete.
      expect(await append()).toBeUndefined();
      vi.advanceTimersByTime(60);
      expect(await append()).toBeInstanceOf(JournalError);
      expect(await append()).toBeInstanceOf(JournalError);
      expect(journal.end().position).toBe(position + 7);
      expect(lost).toBe(1);
      await journal.close();
      if (what === 'taken over') expect(readFileSync(path, 'utf8')).toBe(other);
    },
  );
});
