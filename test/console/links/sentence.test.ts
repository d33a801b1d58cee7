import { expect, test } from 'vitest';
import type { ThreatPolicy } from '#core/threats/policy.ts';
import { createFormat } from '#console/i18n/format.ts';
import { emptyDraft } from '#console/links/editor/draft.ts';
import { compileForm } from '#console/links/editor/preview/compile-form.ts';
import { describeLink, describeUnserved } from '#console/links/link/sentence.ts';

/** Stands for an object with more fields. */
const partly = (value: object) => value as never;

const serving = {
  takenDown: null,
  isActive: true,
  isArchived: false,
  expiresAt: null,
  maxClicks: null,
  currentClicks: 0,
  hasPassword: false,
  rules: [],
};

test('the sentence of a link tells the destination with the campaign values that the link adds', () => {
  const link = {
    destination: { type: 'link', value: 'https://example.com/spring' },
    utmSource: 'news letter',
    utmMedium: null,
    utmCampaign: 'may',
    utmTerm: null,
    utmContent: null,
    ...serving,
  };
  const words = { sentence: { active: (to: string) => to, checking: (to: string) => to } };
  const text = describeLink(partly(link), partly(words), createFormat('en'), new Date());
  expect(text).toBe('example.com/spring?utm_source=news letter&utm_campaign=may');
});

test('visitors of a link that does not serve get one answer, whatever its rules say', () => {
  const now = new Date('2026-11-28T12:00:00Z');
  const past = '2026-11-26T12:00:00Z';
  const unserved = { missing: 'missing', expired: 'expired', capped: 'capped', blocked: 'blocked' };
  const destination = { type: 'link', value: 'https://example.com/', threatTypes: [] };
  const answerOf = (change: object) =>
    describeUnserved(
      partly({ ...serving, currentClicks: 9, expiredUrl: null, destination, ...change }),
      { unserved },
      now,
    );
  expect(answerOf({})).toBeUndefined();
  expect(answerOf({ isActive: false })).toBe('missing');
  expect(answerOf({ isArchived: true })).toBe('missing');
  expect(answerOf({ takenDown: { reason: 'malware' } })).toBe('missing');
  expect(answerOf({ expiresAt: past })).toBe('expired');
  expect(answerOf({ expiresAt: past, expiredUrl: 'https://example.com/over' })).toBe('https://example.com/over');
  expect(answerOf({ maxClicks: 9 })).toBe('capped');
});

test('the sentence of a flagged link tells what the organization gives its visitors', () => {
  const link = {
    destination: { type: 'link', value: 'https://example.com/', threatTypes: ['MALWARE'] },
    ...serving,
  };
  const sentence = {
    flagged: (types: readonly string[]) => types.join(' '),
    flaggedGet: { warn: 'warned', pass: 'led', block: 'refused' },
  };
  const describe = (policy?: ThreatPolicy) =>
    describeLink(partly(link), partly({ sentence }), createFormat('en'), new Date(), policy);
  expect(describe('warn')).toBe('MALWARE warned');
  expect(describe('pass')).toBe('MALWARE led');
  expect(describe('block')).toBe('MALWARE refused');
  expect(describe()).toBe('MALWARE');
});

test('the preview of a flagged link decides by the policy of the organization', () => {
  const destination = { type: 'link', value: 'https://example.com/', threatTypes: ['MALWARE'] };
  const draft = emptyDraft('https://example.com/');
  const policyOf = (policy: ThreatPolicy) =>
    compileForm(draft, partly({ ...serving, destination, rules: [] }), policy).link?.threatPolicy;
  expect(policyOf('block')).toBe('block');
  expect(policyOf('warn')).toBe('warn');
  expect(policyOf('pass')).toBeNull();
});

test('the sentence of a link that will end tells where visitors are led then', () => {
  const link = {
    ...serving,
    destination: { type: 'link', value: 'https://example.com/', threatTypes: [] },
    expiresAt: '2031-12-01T12:00:00Z',
    expiredUrl: 'https://example.com/over',
  };
  const words = { sentence: { active: () => 'On.' }, ends: (_when: string, to: string | null) => `Then ${to ?? ''}.` };
  expect(describeLink(partly(link), partly(words), createFormat('en'), new Date())).toBe(
    'On. Then https://example.com/over.',
  );
});
