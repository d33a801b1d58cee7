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
      says: /destination\.value[\s\S]*Next:/,
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
    { tool: 'archive_link', args: { link: 'row-1', isArchived: true }, says: /no longer redirects/ },
    { tool: 'archive_link', args: { link: 'localhost:3001/row-1', isArchived: false }, says: /redirects again/ },
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
    { tool: 'explain_clicks', args: { link: 'row-2' }, says: /0 clicks[\s\S]*switched off/ },
  ],
  'What may this key do, and which folders are there?': [
    { tool: 'get_account', args: {}, says: /"plan":"premium"[\s\S]*"folders"/ },
  ],
};

const api = useOwnTestApi();
let call: (name: string, args: Record<string, unknown>) => Promise<ToolAnswer>;
beforeAll(async () => {
  const address = await api.app.listen({ host: '127.0.0.1', port: 0 });
  ({ call } = await connectMcp(address, { 'x-api-key': api.organization.key }, 'auto'));
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
