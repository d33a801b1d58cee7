import { z } from 'zod';
import type { Webhook } from '#api/webhook/schema.ts';
import { listDomains, listLabels, mostListed } from '#api/mcp/names.ts';
import { ToolError } from '#api/mcp/rest.ts';
import { brief, table, tool } from '#api/mcp/tool.ts';

/** What there is beside links. */
export const surroundingsTools = [
  tool({
    name: 'list_domains',
    title: 'List domains',
    description: 'The domains of the organization and of the installation. Links can be on verified ones.',
    input: z.strictObject({}),
    effect: 'reads',
    async run(rest) {
      return table(
        ['domain', 'verified', 'primary'],
        (await listDomains(rest)).map(({ domain, isVerified, isPrimary }) => [domain, isVerified, isPrimary]),
      );
    },
  }),
  tool({
    name: 'list_webhooks',
    title: 'List webhooks',
    description: 'The webhooks with their events and whether they are on.',
    input: z.strictObject({}),
    effect: 'reads',
    async run(rest) {
      const { data } = await rest.call('GET', '/webhook/list', { query: { limit: mostListed } });
      const rows = data as Webhook[];
      return table(
        ['name', 'url', 'on', 'events'],
        rows.map(({ name, url, isActive, events }) => [name, url, isActive, events.join(' ')]),
      );
    },
  }),
  tool({
    name: 'get_account',
    title: 'Organization, plan and counts',
    description: 'The organization of the key or app, its plan and limits, and its folders, tags and domains.',
    input: z.strictObject({}),
    effect: 'reads',
    async run(rest) {
      const organization = await rest.call('GET', '/organization');
      const folders = await ifAllowed(listLabels(rest, 'folder'));
      const tags = await ifAllowed(listLabels(rest, 'tag'));
      const domains = await ifAllowed(listDomains(rest));
      return brief({
        organization,
        folders: folders?.data.map(({ name }) => name),
        folderCount: folders?.count,
        tags: tags?.data.map(({ name }) => name),
        tagCount: tags?.count,
        domains: domains?.map(({ domain }) => domain),
      });
    },
  }),
];

/** What the caller may read; undefined where its permissions, or the folders and domains to which it is restricted, leave it out. */
async function ifAllowed<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ToolError && (error.code === 'ACTION_NOT_ALLOWED' || error.code === 'FORBIDDEN'))
      return undefined;
    throw error;
  }
}
