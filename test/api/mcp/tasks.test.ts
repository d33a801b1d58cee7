import { beforeAll, describe, expect, it } from 'vitest';
import { useOwnTestApi } from '#test/support/api.ts';
import { createDelivery } from '#test/support/deliveries.ts';
import { connectMcp, type ToolAnswer } from '#test/support/mcp.ts';

// What people ask an agent for, with the calls that solve it: the evaluation of the tools' names, arguments and answers.

interface Step {
  tool: string;
  args: Record<string, unknown>;
  /** What the answer says, from which the agent goes on; with `isError`, an error's. */
  says: RegExp;
  isError?: true;
  picture?: 'image/png';
}

const destination = 'https://example.com/spring';
const tasks: Record<string, Step[]> = {
  'Make a short link “spring” to example.com/spring, tagged campaign': [
    { tool: 'create_link', args: { destination, slug: 'spring', tags: ['campaign'] }, says: /"shortUrl":".*\/spring"/ },
  ],
  'Make it once more: the slug is taken': [
    {
      tool: 'create_link',
      args: { destination, slug: 'spring' },
      says: /ALREADY_EXIST[\s\S]*Next: .*get_link/,
      isError: true,
    },
    { tool: 'get_link', args: { link: 'spring' }, says: /"slug":"spring"/ },
  ],
  'Make three links at once': [
    {
      tool: 'create_links',
      args: {
        links: [1, 2, 3].map((n) => ({ destination: `https://example.com/${n}`, slug: `row-${n}`, tags: ['rows'] })),
      },
      says: /row-1[\s\S]*row-2[\s\S]*row-3/,
    },
  ],
  'Which links of the campaign are there?': [{ tool: 'find_links', args: { tag: 'campaign' }, says: /"count":1/ }],
  'Send the spring link to example.com/summer, and call it Summer': [
    {
      tool: 'update_link',
      args: { link: 'localhost:3001/spring', destination: 'https://example.com/summer', title: 'Summer' },
      says: /example\.com\/summer/,
    },
  ],
  'Change a link of which only a wrong address is known': [
    {
      tool: 'update_link',
      args: { link: 'sprung', title: 'X' },
      says: /No link is named "sprung"[\s\S]*Next: call find_links/,
      isError: true,
    },
    {
      tool: 'update_link',
      args: { link: 'spring', destination: 'not an address' },
      says: /- destination: [\s\S]*Next:/,
      isError: true,
    },
  ],
  'Switch all links of the rows off, and tag them old': [
    {
      tool: 'change_links',
      args: { links: ['row-1', 'row-2', 'row-3'], addTags: ['old'], isActive: false },
      says: /3 of 3 links changed/,
    },
  ],
  'Put the first row away, and take it back': [
    { tool: 'archive_link', args: { link: 'row-1' }, says: /no longer redirects/ },
    { tool: 'archive_link', args: { link: 'localhost:3001/row-1', isArchived: false }, says: /still switched off/ },
  ],
  'Give me the QR code of the spring link': [
    { tool: 'get_qr_code', args: { link: 'spring', size: 300 }, says: /QR code of/, picture: 'image/png' },
  ],
  'Delete the third row': [
    { tool: 'delete_links', args: { links: ['row-3'] }, says: /Nothing is deleted yet[\s\S]*confirm: true/ },
    { tool: 'delete_links', args: { links: ['row-3'], confirm: true }, says: /1 of 1 links deleted/ },
  ],
  'How many clicks had the spring link last month, by country?': [
    {
      tool: 'get_statistics',
      args: { link: 'spring', groupBy: ['country'], timezone: 'Europe/Berlin' },
      says: /^0 clicks from[\s\S]*\| country \| clicks \|/,
    },
  ],
  'Bring these links in, and tell how far it is': [
    {
      tool: 'import_links',
      args: { csv: 'destination,slug\nhttps://example.com/in,brought\n' },
      says: /workflow import\/[\s\S]*Next: call get_import/,
    },
    { tool: 'list_imports', args: {}, says: /0 of 1 rows/ },
  ],
  'Why is go.example.com not verified?': [
    { tool: 'explain_domain', args: { domain: 'go.example.com' }, says: /unverified[\s\S]*\| TXT \|[\s\S]*Next:/ },
    {
      tool: 'explain_domain',
      args: { domain: 'nowhere.example' },
      says: /No domain is named[\s\S]*go\.example\.com[\s\S]*Next: call list_domains/,
      isError: true,
    },
  ],
  'Why does the CRM webhook fail?': [
    { tool: 'list_webhooks', args: {}, says: /CRM/ },
    { tool: 'explain_webhook', args: { webhook: 'CRM' }, says: /is well[\s\S]*No delivery has failed/ },
  ],
  'And that of the shop?': [
    {
      tool: 'explain_webhook',
      args: { webhook: 'Shop' },
      says: /is failing[\s\S]*"code":503,"body":"no room"[\s\S]*\| link\.created \| 503 \| 8 \|/,
    },
  ],
  'Look at the DNS of go.example.com once more': [
    {
      tool: 'check_domain',
      args: { domain: 'go.example.com' },
      says: /is not verified[\s\S]*Next: call explain_domain/,
    },
  ],
  'Where does a German on an iPhone go, and why?': [
    { tool: 'explain_visit', args: { link: 'ruled', country: 'de', os: 'ios' }, says: /example\.com\/de[\s\S]*rule 1/ },
    { tool: 'explain_visit', args: { link: 'ruled', country: 'FR' }, says: /the link’s own[\s\S]*countries/ },
    { tool: 'explain_visit', args: { link: 'row-2' }, says: /“active” decides/ },
  ],
  'Why does the second row have no clicks?': [
    { tool: 'explain_clicks', args: { link: 'row-2' }, says: /0 clicks since \S+, none yet; 0 in[\s\S]*switched off/ },
  ],
  'What may this key do, and which folders are there?': [
    { tool: 'get_account', args: {}, says: /"plan":"premium"[\s\S]*"folders"/ },
  ],
  'Make a link for the store: Germans see the German page, iPhones the App Store': [
    {
      tool: 'create_link',
      args: {
        destination: 'https://example.com/store',
        slug: 'store',
        rules: [
          { countries: ['DE', 'AT'], destination: 'https://example.com/laden' },
          { osTypes: ['ios'], destination: 'https://apps.example.com/store' },
        ],
      },
      says: /\/store"/,
    },
    { tool: 'explain_visit', args: { link: 'store', country: 'AT', os: 'ios' }, says: /laden[\s\S]*rule 1/ },
    { tool: 'explain_visit', args: { link: 'store', country: 'US', os: 'ios' }, says: /apps\.example[\s\S]*rule 2/ },
  ],
  'Everyone to one page again': [
    { tool: 'update_link', args: { link: 'store', rules: null }, says: /example\.com\/store/ },
    { tool: 'explain_visit', args: { link: 'store', country: 'AT' }, says: /the link’s own/ },
  ],
  'A rule for a country that is none': [
    {
      tool: 'update_link',
      args: { link: 'store', rules: [{ countries: ['XX'], destination: 'https://example.com/' }] },
      says: /rules\.0\.countries\.0[\s\S]*Next: Correct/,
      isError: true,
    },
  ],
  'Protect the store by a password': [
    { tool: 'update_link', args: { link: 'store', password: 'open sesame' }, says: /\/store"/ },
    { tool: 'explain_visit', args: { link: 'store' }, says: /asked for (?:the|a) password/ },
    { tool: 'explain_visit', args: { link: 'store', knowsPassword: true }, says: /redirected/ },
    { tool: 'explain_clicks', args: { link: 'store' }, says: /has a password/ },
    { tool: 'update_link', args: { link: 'store', password: null }, says: /\/store"/ },
  ],
  'Let the store end after 100 clicks or at New Year, then keep it for ever': [
    {
      tool: 'update_link',
      args: { link: 'store', maxClicks: 100, expiresAt: '2099-01-01T00:00:00Z' },
      says: /\/store"/,
    },
    { tool: 'get_link', args: { link: 'store' }, says: /"maxClicks":100[\s\S]*2099-01-01/ },
    { tool: 'update_link', args: { link: 'store', maxClicks: null, expiresAt: null }, says: /\/store"/ },
    { tool: 'get_link', args: { link: 'store' }, says: /^(?!.*"expiresAt":"2099)/ },
  ],
  'Who changed the store last, and what?': [
    { tool: 'get_link', args: { link: 'store' }, says: /"changes":\[[\s\S]*maxClicks/ },
  ],
  'A link that writes a mail, and one that calls': [
    { tool: 'create_link', args: { destination: 'mailto:team@example.com', slug: 'write' }, says: /team@example\.com/ },
    { tool: 'create_link', args: { destination: 'tel:+491234567', slug: 'call' }, says: /491234567/ },
  ],
  'Make a link without an address': [
    { tool: 'create_link', args: { slug: 'nowhere' }, says: /destination/, isError: true },
  ],
  'Make a link on a domain that is not ours': [
    {
      tool: 'create_link',
      args: { destination, domain: 'other.example' },
      says: /domain[\s\S]*Next:/,
      isError: true,
    },
  ],
  'Take a link by its externalId': [
    { tool: 'update_link', args: { link: 'write', externalId: 'crm-1' }, says: /\/write"/ },
    { tool: 'get_link', args: { link: 'crm-1' }, says: /"slug":"write"/ },
    { tool: 'delete_links', args: { links: ['crm-1,crm-2'], confirm: true }, says: /No link is named/, isError: true },
  ],
  'Sort the links into the folder Spring': [
    { tool: 'get_account', args: {}, says: /"folders":\[[^\]]*"Spring"/ },
    { tool: 'change_links', args: { links: ['store', 'write'], folder: 'Spring' }, says: /2 of 2 links changed/ },
    { tool: 'find_links', args: { folder: 'Spring' }, says: /"count":2/ },
    {
      tool: 'find_links',
      args: { folder: 'Winter' },
      says: /No folder is named "Winter"[\s\S]*Spring[\s\S]*Next:/,
      isError: true,
    },
  ],
  'Which links are off?': [{ tool: 'find_links', args: { states: ['inactive'] }, says: /row-2/ }],
  'Which links are most clicked?': [
    { tool: 'find_links', args: { sortBy: 'currentClicks', limit: 1 }, says: /"slug|shortUrl/ },
  ],
  'Page through all links, two at a time': [
    { tool: 'find_links', args: { limit: 2 }, says: /"nextCursor":"/ },
    { tool: 'find_links', args: { limit: 2, cursor: 'not one' }, says: /cursor[\s\S]*Next:/, isError: true },
  ],
  'Take the tag old from the rows': [
    { tool: 'change_links', args: { links: ['row-1', 'row-2'], removeTags: ['old'] }, says: /2 of 2 links changed/ },
    { tool: 'find_links', args: { tag: 'old' }, says: /"count":0/ },
  ],
  'Make links of which one slug is taken': [
    {
      tool: 'create_links',
      args: {
        links: [
          { destination: 'https://example.com/a', slug: 'store' },
          { destination: 'https://example.com/b', slug: 'free' },
        ],
      },
      says: /ALREADY_EXIST[\s\S]*\/free"/,
    },
  ],
  'Bring links in of which one is wrong': [
    {
      tool: 'import_links',
      args: { csv: 'title,slug\nNo address,none\n' },
      says: /destination[\s\S]*Next:/,
      isError: true,
    },
  ],
  'Undo the import': [
    { tool: 'list_imports', args: {}, says: /Import [0-9a-f-]{36}/ },
    {
      tool: 'undo_import',
      args: { import: '00000000-0000-4000-8000-000000000000' },
      says: /NOT_FOUND[\s\S]*list_imports/,
      isError: true,
    },
  ],
  'Clicks of the campaign by day, against the year before': [
    {
      tool: 'get_statistics',
      args: { tag: 'campaign', interval: 'day', from: '2026-01-01', until: '2026-02-01', compare: 'year' },
      says: /^0 clicks from 2026-01-01[\s\S]*The period before/,
    },
  ],
  'Statistics by something that is not counted': [
    { tool: 'get_statistics', args: { groupBy: ['shoe size'] }, says: /groupBy/, isError: true },
    {
      tool: 'get_statistics',
      args: { groupBy: 'browser' },
      says: /refused:\n- groupBy: must be a list\nNext:/,
      isError: true,
    },
  ],
  'Delete everything at once': [
    {
      tool: 'delete_links',
      args: { links: ['row-1', 'row-2'] },
      says: /2 links and their statistics would be gone[\s\S]*row-1, \S+row-2/,
    },
  ],
};

const api = useOwnTestApi();
let call: (name: string, args: Record<string, unknown>) => Promise<ToolAnswer>;
beforeAll(async () => {
  const address = await api.app.listen({ host: '127.0.0.1', port: 0 });
  ({ call } = await connectMcp(address, { 'x-api-key': api.organization.key }, 'auto'));
  await api.call('POST', '/folder', { name: 'Spring' });
  await api.call('POST', '/domain', { domain: 'go.example.com' });
  await api.call('POST', '/webhook', { name: 'CRM', url: 'https://hooks.example.com/', events: ['link.created'] });
  const shop = { name: 'Shop', url: 'https://shop.example.com/', events: ['link.created'] };
  const { id } = (await api.call('POST', '/webhook', shop)).body;
  await createDelivery(api.db, id, { status: 'failed', attempts: 8, response_code: 503 });
  await api.db.query(
    `update webhooks set consecutive_failures = 12, failing_since = now(), last_failure_at = now(), last_failure_code = 503,
       last_failure_body = 'no room', next_probe_at = now() + interval '1 hour' where id = $1`,
    [id],
  );
  const to = (value: string) => ({ destination: { type: 'link', value } });
  const rules = [{ priority: 1, countries: ['DE'], ...to('https://example.com/de') }];
  await api.call('POST', '/short-link', {
    ...to('https://example.com/any'),
    slug: 'ruled',
    domain: 'localhost:3001',
    rules,
  });
});

// In order: a task finds what those before it have made.
describe('an agent', () => {
  it.each(Object.entries(tasks))('%s', async (_task, steps) => {
    for (const { tool, args, says, isError = false, picture } of steps) {
      const answer = await call(tool, args);
      expect(answer.text).toMatch(says);
      expect(answer.isError).toBe(isError);
      expect(answer.pictures).toEqual(picture === undefined ? [] : [picture]);
    }
  });
});
