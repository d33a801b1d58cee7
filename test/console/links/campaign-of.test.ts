import { expect, test } from 'vitest';
import { readCampaign } from '#console/links/editor/destination/campaign-of.ts';
import { emptyDraft } from '#console/links/editor/draft.ts';

const draft = emptyDraft();

test('campaign values of a pasted address go into their fields, all else stays as it was', () => {
  expect(
    readCampaign('https://example.com/a?x=%20y&utm_source=news%20letter&UTM=1&utm_medium=mail#part', draft),
  ).toEqual({
    destination: 'https://example.com/a?x=%20y&UTM=1#part',
    utmSource: 'news letter',
    utmMedium: 'mail',
  });
  expect(readCampaign('https://example.com/?utm_campaign=a+b', draft)).toEqual({
    destination: 'https://example.com/',
    utmCampaign: 'a b',
  });
});

test('a field that has a value keeps it, and so does the address', () => {
  const address = 'https://example.com/?utm_source=other&utm_term=';
  expect(readCampaign(address, { ...draft, utmSource: 'mine' })).toEqual({ destination: address });
  expect(readCampaign('https://example.com/?utm_source=a&utm_source=b', draft)).toEqual({
    destination: 'https://example.com/?utm_source=b',
    utmSource: 'a',
  });
});

test('what is no address of the web stays as it is', () => {
  for (const text of ['ada@example.com?utm_source=a', 'tel:123', 'example.com', 'https://example.com/#?utm_source=a'])
    expect(readCampaign(text, draft)).toEqual({ destination: text });
});
