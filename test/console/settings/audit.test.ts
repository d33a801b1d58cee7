import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createFormat } from '#console/i18n/format.ts';
import { nameField } from '#console/processes/field-names.ts';
import { thingOf } from '#console/settings/audit/describe.tsx';
import { factWords } from '#console/settings/audit/fact-words.ts';
import { factsOf } from '#console/settings/audit/facts.ts';
import { auditWords } from '#console/settings/audit/words.ts';
import { root } from '#scripts/lib/paths.ts';

const read = (pattern: string): string =>
  globSync(pattern, { cwd: root })
    .map((path) => readFileSync(`${root}/${path}`, 'utf8'))
    .join('\n');

describe('the details of a line of the audit log', () => {
  const said = (details: Record<string, unknown>): string[] =>
    factsOf(details, {
      words: factWords.de,
      fieldName: (field, value) => nameField('de', field, value),
      format: createFormat('de'),
      places: new Map([['id-1', 'Kampagnen']]),
    });

  test.each([
    [{ name: 'CI', type: 'integration' }, ['CI', 'Schlüssel für: ein Programm']],
    [{ email: 'mia@x.example', from: 'admin', to: 'member' }, ['E-Mail: mia@x.example', 'von: Admin', 'zu: Mitglied']],
    [{ method: 'totp' }, ['zweiter Faktor: Authenticator-App']],
    [{ folderIds: ['id-1', 'id-2'], domainIds: [] }, ['nur in Ordnern: Kampagnen, id-2']],
    [
      { permissions: { webhooks: ['create', 'read', 'update', 'delete'], stats: ['read'] } },
      ['darf: Webhooks (alles); Statistik (lesen)'],
    ],
    [{ permissions: { shortLinks: ['read', 'create'], apiKeys: [] } }, ['darf: Links, Ordner, Tags (lesen, anlegen)']],
    [{ fields: ['isPaused', 'url'] }, ['Felder: pausiert oder nicht, Adresse']],
    [{ fields: ['isPaused', 'isActive'], on: ['isActive'], off: ['isPaused'] }, ['Felder: fortgesetzt, eingeschaltet']],
    [{ isActive: false, honoursGpc: true }, ['ausgeschaltet', 'beachtet Besucher, die widersprechen (GPC): ja']],
    [{ someNewFact: 'as it is' }, ['some new fact: as it is']],
    [{ client: 'a hash', expiresAt: null, options: { email: 'x' } }, []],
  ])('%j', (details, facts) => {
    expect(said(details)).toEqual(facts);
  });

  test('write moments in the format of the person', () => {
    const [text = ''] = said({ expiresAt: '2026-12-04T13:31:59.391Z' });
    expect(text).toMatch(/^Ende: 0[45]\.12\.2026, \d\d:31$/);
  });
});

test('what staff read by any operation of the API has a noun of its own', () => {
  const reads = [...read('api/!(auth|oauth|staff)/**/*.ts').matchAll(/operationId: '((?:get|list|read|export)\w+)'/g)];
  expect(reads.length).toBeGreaterThan(30);
  const things = reads.map(([, id = '']) => [id, thingOf(id)] as const);
  // /.well-known/security.txt is of no organization.
  expect(things.filter(([, thing]) => thing === 'data').map(([id]) => id)).toEqual(['readSecurityTxt']);
  expect(things.filter(([, thing]) => auditWords.en.things[thing] === undefined)).toEqual([]);
});

test('every command of operators that the audit log notes has words', () => {
  const commands = [...read('scripts/cli/commands/**/*.ts').matchAll(/name: '([a-z -]+)',[\s\S]*?isAudited: (\S+),/g)];
  const noted = commands.filter(([, , isAudited]) => isAudited !== 'false').map(([, name = '']) => name);
  expect(noted).toContain('org create');
  expect(noted.filter((name) => auditWords.de.actions[name] === undefined)).toEqual([]);
});
