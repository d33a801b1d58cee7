import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';

/**
 * Calls that run SQL by hand, by folder; the goal is below 120 in all. A folder's number goes down when a statement becomes an entity, a repository's query or
 * Kysely; a number that must go up needs a row of bench/README.md that the statement serves (CONTRIBUTING.md, ADR 5). Not
 * counted: the plumbing of `db/connection` and `db/notifications`, migrations, and the begin, commit and savepoints of a transaction.
 */
const byHand: Record<string, number> = {
  commands: 3,
  db: 6,
  'db/accounts': 1,
  'db/clicks': 19,
  'db/deletions': 7,
  'db/domains': 1,
  'db/health': 4,
  'db/imports': 4,
  'db/links': 7,
  'db/links/visits': 7,
  'db/organizations': 3,
  'db/reports': 1,
  'db/stats': 9,
  'db/threats': 23,
  'db/webhooks': 14,
  'edge/lookup': 1,
  'edge/shipper': 1,
};

const rooms = ['activities', 'api', 'commands', 'db', 'edge', 'relay', 'start'];
const plumbing = new Set(['db/connection', 'db/migrations', 'db/notifications']);
const call = /(?:sql|tx|db|em|client|database|pool)\b[!.\w]*\.(?:query|send)(?:<(?:[^<>]|<[^<>]*>)*>)?\(\s*([^\n]*)/g;
const control = /^[`'](?:begin|commit|rollback|savepoint|release)\b/;

it('each folder runs as many statements by hand as this list says', () => {
  const counts: Record<string, number> = {};
  for (const file of globSync(rooms.map((room) => `${room}/**/*.ts`)).toSorted()) {
    const folder = dirname(file);
    if (plumbing.has(folder)) continue;
    const calls = [...readFileSync(file, 'utf8').matchAll(call)];
    const found = calls.filter(([, argument = '']) => !control.test(argument)).length;
    if (found > 0) counts[folder] = (counts[folder] ?? 0) + found;
  }
  expect(counts).toEqual(byHand);
});
