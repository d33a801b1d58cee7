import { expect, test } from 'vitest';
import { createFormat } from '#console/i18n/format.ts';
import { describeLink } from '#console/links/link/sentence.ts';

/** Stands for an object with more fields. */
const partly = (value: object) => value as never;

test('the sentence of a link tells the destination with the campaign values that the link adds', () => {
  const link = {
    destination: { type: 'link', value: 'https://example.com/spring' },
    utmSource: 'news letter',
    utmMedium: null,
    utmCampaign: 'may',
    utmTerm: null,
    utmContent: null,
    takenDown: null,
    isActive: true,
    isArchived: false,
    expiresAt: null,
    maxClicks: null,
    currentClicks: 0,
    hasPassword: false,
    rules: [],
  };
  const words = { sentence: { active: (to: string) => to, checking: (to: string) => to } };
  const text = describeLink(partly(link), partly(words), createFormat('en'), new Date());
  expect(text).toBe('example.com/spring?utm_source=news letter&utm_campaign=may');
});
