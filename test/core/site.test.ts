import { expect, test } from 'vitest';
import { createSite } from '../../core/site.ts';

test("an address is told as one of ours with and without its scheme's own port", () => {
  const site = createSite({ scheme: 'https', platformDomain: 'go.example:443' });
  expect(site.originUrl('go.example', 'ä')).toBe('https://go.example:443/%C3%A4');
  for (const url of ['https://go.example:443/x', 'https://go.example/x', 'https://GO.example./x/']) {
    expect(site.parse(url)).toEqual({ host: 'go.example', slug: 'x' });
  }
  for (const url of ['https://go.example:3001/x', 'https://go.example/x/y', 'https://go.example/']) {
    expect(site.parse(url)).toBeUndefined();
  }
});
