import { z } from 'zod';
import type { allDomainsSchema } from '#api/domain/schema.ts';
import type { Webhook } from '#api/webhook/schema.ts';
import { mostListed } from '#api/mcp/names.ts';
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
      const all = (await rest.call('GET', '/domain/all')) as z.output<typeof allDomainsSchema>;
      return table(
        ['domain', 'verified', 'primary'],
        all.map(({ domain, isVerified, isPrimary }) => [domain, isVerified, isPrimary]),
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
    description: 'The organization of the key or app, its plan and limits, and its folders and tags.',
    input: z.strictObject({}),
    effect: 'reads',
    async run(rest) {
      const organization = await rest.call('GET', '/organization');
      const list = async (path: string): Promise<{ names: string[]; count: number }> => {
        const { data, count } = await rest.call('GET', path, { query: { limit: mostListed } });
        return { names: (data as { name: string }[]).map(({ name }) => name), count };
      };
      const [folders, tags] = [await list('/folder/list'), await list('/tag/list')];
      return brief({
        organization,
        folders: folders.names,
        folderCount: folders.count,
        tags: tags.names,
        tagCount: tags.count,
      });
    },
  }),
];
