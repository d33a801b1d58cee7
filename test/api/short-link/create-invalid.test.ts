import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { createDomain, createFile, createOrganization } from '#test/support/factories.ts';

const api = useTestApi();

const link = (value = 'https://example.com/a?b=1') => ({ type: 'link', value });
const create = (body: object) => api.call('POST', '/short-link', body);

describe('POST /short-link answers 400', () => {
  it.each([
    ['another scheme', { destination: link('ftp://example.com/') }, ['destination.value']],
    [
      'mailto: sent with the address',
      { destination: { type: 'mail', value: 'mailto:a@example.com' } },
      ['destination.value'],
    ],
    ['a phone number without +', { destination: { type: 'phone', value: '030 1234' } }, ['destination.value']],
    ['a phone number with (0)', { destination: { type: 'phone', value: '+49 (0)30 1234' } }, ['destination.value']],
    [
      'a phone number with [ 0 ]',
      { destination: { type: 'phone', value: '+49 [ 0 ] 30 1234' } },
      ['destination.value'],
    ],
    [
      'a deep link that runs code',
      { destination: { ...link(), iosDeepLink: 'JavaScript:alert(1)' } },
      ['destination.iosDeepLink'],
    ],
    [
      'a logo that runs code',
      { destination: link(), qrCode: { options: { image: 'javascript:alert(1)' } } },
      ['qrCode.options.image'],
    ],
    ['a password of two lines', { destination: link(), password: 'a\nb' }, ['password']],
    ['an invisible password', { destination: link(), password: '\u200d' }, ['password']],
    ['an invisible tag', { destination: link(), tags: ['\u200b', { name: 'a\nb' }] }, ['tags.0', 'tags.1.name']],
    ['a slug with a slash', { destination: link(), slug: 'a/b' }, ['slug']],
    ['a date that is none', { destination: link(), expiresAt: 'tomorrow' }, ['expiresAt']],
    ['a title of 256 characters', { destination: link(), title: '🎉'.repeat(256) }, ['title']],
    [
      'several mistakes at once',
      {
        destination: { type: 'fax', value: 1 },
        rules: [{ priority: -1, countries: ['XX'], destination: link('x') }],
        maxClicks: 1.5,
      },
      [
        'destination.type',
        'destination.value',
        'maxClicks',
        'rules.0.priority',
        'rules.0.countries.0',
        'rules.0.destination.value',
      ],
    ],
    [
      'mistakes beside others in the same object',
      {
        destination: { ...link('ftp://example.com/'), iosDeepLink: 'javascript:alert(1)', bogus: 1 },
        rules: [{ priority: -1, bogus: 1, destination: { ...link('x'), bogus: 1 } }],
        expiresAt: '2020-01-01T00:00:00Z',
        bogus: 1,
      },
      [
        'destination.value',
        'destination.iosDeepLink',
        'destination.bogus',
        'rules.0',
        'rules.0.priority',
        'rules.0.bogus',
        'rules.0.destination.value',
        'rules.0.destination.bogus',
        'expiresAt',
        'bogus',
      ],
    ],
    [
      'rules and a destination of other shapes',
      { destination: [], rules: [null, []] },
      ['destination', 'rules.0', 'rules.1'],
    ],
    [
      'a QR code that is too small',
      { destination: link(), qrCode: { options: { width: 100 } } },
      ['qrCode.options.width'],
    ],
    [
      'the link itself as destination',
      { destination: link('http://localhost:3001/me/'), slug: 'me' },
      ['destination.value'],
    ],
    ['expiredUrl on its own domain', { destination: link(), expiredUrl: 'http://localhost:3001/x' }, ['expiredUrl']],
    ['the same with a dot behind', { destination: link(), expiredUrl: 'http://LOCALHOST.:80/x' }, ['expiredUrl']],
    [
      'two images that do not exist',
      { destination: link(), metaTags: { imageId: uuidv7() }, qrCode: { options: {}, imageId: uuidv7() } },
      ['metaTags.imageId', 'qrCode.imageId'],
    ],
    [
      'a logo with what no text may hold',
      { destination: link(), qrCode: { options: { image: 'https://example.com/\u0000' } } },
      ['qrCode.options.image'],
    ],
    [
      'a logo with half a character',
      { destination: link(), qrCode: { options: { image: 'https://example.com/\ud800' } } },
      ['qrCode.options.image'],
    ],
    [
      'the link itself in a rule that is evaluated last, and an image that does not exist',
      {
        slug: 'me',
        destination: link(),
        rules: [
          { priority: 1, languages: ['de'], destination: link('http://localhost:3001/me') },
          { priority: 0, languages: ['de'], destination: link() },
        ],
        metaTags: { imageId: uuidv7() },
      },
      ['rules.0.destination.value', 'metaTags.imageId'],
    ],
    [
      'the link itself in many places',
      {
        slug: 'me',
        destination: link('http://localhost:3001/me'),
        rules: [{ priority: 0, languages: ['de'], destination: link('http://LOCALHOST.:3001/%6de?x#y') }],
        expiredUrl: 'http://localhost:3001/me',
      },
      ['destination.value', 'rules.0.destination.value', 'expiredUrl'],
    ],
  ])('to %s', async (_name, body, paths) => {
    const answer = await create(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'VALIDATION_ERROR', requestId: answer.headers['x-request-id'] });
    const named = answer.body.issues.map((issue: { path: string }) => issue.path);
    expect(named.toSorted()).toEqual(paths.toSorted());
  });

  it('to an unverified domain, and to two domains that disagree', async () => {
    const unverified = await createDomain(api.db, api.organization.id, { isVerified: false });
    expect((await create({ destination: link(), domain: unverified.domain })).body.issues[0].path).toBe('domain');
    const verified = await createDomain(api.db, api.organization.id);
    const disagree = await create({ destination: link(), domain: 'localhost', domainId: verified.id });
    expect(disagree.body.issues[0].path).toBe('domainId');
  });

  it("to another organization's image, and to an image of the wrong kind", async () => {
    const other = await createOrganization(api.db);
    const foreign = await createFile(api.db, other.id, 'meta-tag');
    const logo = await createFile(api.db, api.organization.id, 'qr-code');
    for (const imageId of [foreign, logo]) {
      expect((await create({ destination: link(), metaTags: { imageId } })).status).toBe(400);
    }
  });
});
