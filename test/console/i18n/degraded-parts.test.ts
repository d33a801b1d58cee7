import { expect, test } from 'vitest';
import { createReadiness, type ReadinessOptions } from '#api/health/readiness.ts';
import { translate } from '#console/i18n/refusals/index.ts';
import { staffWords } from '#console/staff/words.ts';
import { noGeoipNote } from '#core/links/warnings/link-warnings.ts';
import { ThreatLists } from '#core/threats/threat-lists.ts';
import { threatTypes } from '#core/threats/types.ts';

const fullDisk = { freeBytes: 1_000_000, totalBytes: 1e12 };
const silent = { heard: 0, takingTasks: 0 };
const heard = { heard: 1, takingTasks: 1 };

/** Rows of a backlog of everything. */
const backlog = {
  parked: 3,
  oldest: { kind: 'webhook', ageMs: 75_000 },
  rejected: 2,
  abandoned: 1,
  workers: heard,
  lastTaskMs: 1_860_000,
  workersSilentMs: 42_000,
  workerDisk: fullDisk,
};

/** The lines of /readyz over a database with a backlog; undefined: the statement fails. */
async function linesOf(found: object | undefined, options: Partial<ReadinessOptions> = {}): Promise<string[]> {
  const sql = {
    async query({ name }: { name: string }) {
      if (name === 'readiness_clock') return { rows: [{ nowMs: 0 }] };
      if (found === undefined) throw new Error('too slow');
      return { rows: [{ ...backlog, ...found }] };
    },
  };
  const readiness = createReadiness({
    sql: sql as never,
    isTemporalReachable: () => true,
    isDatabaseFull: () => true,
    readDisk: async () => fullDisk,
    diskWarnBytes: 1e9,
    now: () => 5_000,
    ...options,
  });
  readiness.onJournalLag(JSON.stringify({ journalId: 'a', lagMs: 2_500 }));
  return (await readiness.degraded()).names;
}

const lists = new ThreatLists();
const staleLists = new ThreatLists();
for (const type of threatTypes) staleLists.set(type, { list: { entries: 1 } as never, version: 1, nextDiffAtMs: 0 });

test('every line about a degraded part has German words', async () => {
  const away = () => Promise.reject(new Error('away'));
  const lines = [
    noGeoipNote,
    ...(await linesOf({})),
    ...(await linesOf(undefined, { isClickHouseUp: async () => false, isStorageUp: () => false })),
    ...(await linesOf(
      { workers: silent },
      { isTemporalReachable: () => false, describeStaleLists: () => lists.describeStale(0) },
    )),
    ...(await linesOf(
      { workers: silent, workersSilentMs: null },
      { now: () => -5_000, describeStaleLists: () => staleLists.describeStale(9_000_000) },
    )),
    ...(await linesOf({ workers: { heard: 1, takingTasks: 0 } })),
    ...(await linesOf({}, { sql: { query: away } })),
  ];
  expect(new Set(lines).size).toBeGreaterThan(20);
  expect(lines.filter((line) => !(line in staffWords.de.degradedParts) && translate(line, 'de') === undefined)).toEqual(
    [],
  );
  expect(Object.keys(staffWords.de.degradedParts)).toEqual(Object.keys(staffWords.en.degradedParts));
});

test('the kind of a row stands in German as it does in English', () => {
  expect(translate('outbox: the oldest row has waited for 75 s (webhook)', 'de')).toBe(
    'Outbox: Der älteste Eintrag wartet seit 75 s (webhook)',
  );
});
