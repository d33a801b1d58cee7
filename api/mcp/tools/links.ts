import { z } from 'zod';
import { osTypes } from '#core/links/draft.ts';
import { linkStates } from '#db/links/list.ts';
import {
  findFolder,
  findLink,
  findLinkIds,
  idOf,
  listDomains,
  listLabels,
  mostListed,
  requireNames,
} from '#api/mcp/names.ts';
import { correctFields, describeRefusal, type Refusal, type Rest, ToolError } from '#api/mcp/rest.ts';
import type { ShortLinkItem } from '#api/short-link/schema.ts';
import { brief, tool } from '#api/mcp/tool.ts';

const link = z.string().min(1).describe('Id, short address such as go.example.com/spring, externalId or slug.');
const links = z.array(z.string().min(1)).min(1).max(100).describe('Up to 100 links, each as in get_link.');
const confirm = z.boolean().optional().describe('true once the person has agreed.');

const destination = z.string().describe('Web address, mailto: or tel: address.');

const words = z.array(z.string()).optional();
const rule = z.strictObject({
  countries: words,
  languages: words,
  osTypes: z.array(z.enum(osTypes)).optional(),
  destination: z.string(),
});

/** What of a link can be set, null: taken away; names of the folder and domain are looked up. */
const settings = {
  destination: destination.optional(),
  slug: z.string().optional(),
  title: z.string().nullable().optional(),
  notes: z.string().nullable().optional(),
  tags: z.array(z.string()).optional().describe('Names; they replace all; unknown ones are made.'),
  folder: z.string().optional().describe('Name or id.'),
  expiresAt: z.string().nullable().optional().describe('ISO 8601.'),
  maxClicks: z.number().int().nullable().optional(),
  isActive: z.boolean().optional(),
  externalId: z.string().nullable().optional(),
  password: z.string().nullable().optional(),
  rules: z.array(rule).nullable().optional().describe('The first that fits decides; they replace all.'),
};
type Settings = z.output<z.ZodObject<typeof settings>>;

function destinationOf(value: string): object {
  const [, scheme, rest = ''] = /^(mailto|tel):(.*)$/i.exec(value) ?? [];
  if (scheme === undefined) return { type: 'link', value };
  return { type: scheme.toLowerCase() === 'tel' ? 'phone' : 'mail', value: rest };
}

function toRule({ destination, ...conditions }: z.output<typeof rule>, priority: number): object {
  return { ...conditions, priority, destination: destinationOf(destination) };
}

/** Bodies of links; each folder is looked up once. */
async function draftsOf(rest: Rest, rows: readonly Partial<Settings>[]): Promise<object[]> {
  const folderIds = new Map<string, string>();
  for (const { folder } of rows)
    if (folder !== undefined && !folderIds.has(folder)) folderIds.set(folder, (await findFolder(rest, folder)).id);
  return rows.map(({ destination, folder, rules, ...fields }) => ({
    ...fields,
    rules: rules && rules.map(toRule),
    destination: destination === undefined ? undefined : destinationOf(destination),
    folderId: folder === undefined ? undefined : folderIds.get(folder),
  }));
}

/** A link as an agent needs it. */
function show({ id, originUrl, destination, title, currentClicks, isActive, tags, warnings }: ShortLinkItem): object {
  const { value, threatTypes } = destination;
  const named = { id, shortUrl: originUrl, destination: value, threatTypes, title };
  return { ...named, clicks: currentClicks, isActive, tags: tags.map(({ name }) => name), warnings };
}

/** What became of one link of many. */
type Row = { status: number; data: ShortLinkItem } | { status: number; error: Refusal };

const showRow = (row: Row): object =>
  'data' in row ? show(row.data) : { error: `${row.error.code}: ${describeRefusal(row.error)}` };

/** Links that were made, and why others were not. @throws ToolError where none was. */
function tellMade(results: unknown): string {
  const rows = results as Row[];
  const failed = rows.filter((row) => 'error' in row);
  const text = brief(rows.map(showRow));
  if (failed.length === 0) return text;
  const told = `${text}\n${failed.length} of ${rows.length} rows are refused.\nNext: correct them, and call create_links with them alone.`;
  if (failed.length === rows.length) throw new ToolError(told);
  return told;
}

/** How many links were changed, and why others were not. @throws ToolError where none was. */
function tellResults(results: unknown, ids: readonly string[], done: string): string {
  const rows = results as ({ status: number } | Row)[];
  const failed = rows.flatMap((row, index) => ('error' in row ? [{ link: ids[index], ...showRow(row) }] : []));
  const text = `${rows.length - failed.length} of ${rows.length} links ${done}.`;
  if (failed.length === 0) return text;
  const told = `${text}\n${brief(failed)}\nNext: call find_links to see what there is.`;
  if (failed.length === rows.length) throw new ToolError(told);
  return told;
}

/** The short URLs of links. @throws ToolError where one is not there. */
async function shortUrlsOf(rest: Rest, ids: readonly string[]): Promise<string[]> {
  const found = new Map<string, string>();
  for (let from = 0; from < ids.length; from += mostListed) {
    const query = { ids: ids.slice(from, from + mostListed), states: linkStates, limit: mostListed };
    const { data } = await rest.call('GET', '/short-link/list', { query });
    for (const { id, originUrl } of data as ShortLinkItem[]) found.set(id, originUrl);
  }
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length === 0) return ids.map((id) => found.get(id)!);
  throw new ToolError(`There are no such links: ${missing.join(', ')}.\nNext: call find_links to see what there is.`);
}

/** Adds the folders or domains of a restricted key to the error of a link that is beyond them. */
async function withReach(rest: Rest, error: unknown): Promise<unknown> {
  if (!(error instanceof ToolError) || error.code !== 'ACTION_NOT_ALLOWED') return error;
  const [, place] = /: (folder|domain): this key is restricted/.exec(error.message) ?? [];
  if (place === undefined) return error;
  const names =
    place === 'folder'
      ? (await listLabels(rest, 'folder')).data.map(({ name }) => name)
      : (await listDomains(rest)).map(({ domain }) => domain);
  const text = error.message.replace(/\nNext: .*$/, '');
  return new ToolError(
    `${text}\nIt reaches: ${names.join(', ') || 'none'}.\nNext: call create_link with one of these as ${place}.`,
  );
}

export const linkTools = [
  tool({
    name: 'create_link',
    title: 'Make a short link',
    description:
      'Makes a short link. Without a slug one is chosen; without a domain the primary one is used once it is verified, else the installation’s.',
    input: z.strictObject({ ...settings, destination, domain: z.string().optional() }),
    effect: 'adds',
    async run(rest, { domain, ...input }) {
      const [draft] = await draftsOf(rest, [input]);
      try {
        return brief(show(await rest.call('POST', '/short-link', { body: { ...draft, domain } })));
      } catch (error) {
        throw await withReach(rest, error);
      }
    },
  }),
  tool({
    name: 'create_links',
    title: 'Make many short links',
    description: 'Makes up to 100 short links; each row has its own result. For more rows use import_links.',
    input: z.strictObject({
      links: z
        .array(z.strictObject({ ...settings, destination }))
        .min(1)
        .max(100),
      domain: z.string().optional().describe('Of all of them.'),
    }),
    effect: 'adds',
    async run(rest, { links: rows, domain }) {
      const drafts = await draftsOf(rest, rows);
      const links = drafts.map((draft) => ({ ...draft, domain }));
      const { results } = await rest.call('POST', '/short-link/bulk', { body: { links } });
      return tellMade(results);
    },
  }),
  tool({
    name: 'find_links',
    title: 'Find short links',
    description: 'Lists links by words and filters, newest first, with their clicks.',
    input: z.strictObject({
      search: z.string().optional().describe('Words of the slug, destination, title or notes.'),
      domain: z.string().optional(),
      folder: z.string().optional(),
      tag: z.string().optional(),
      states: z.array(z.enum(linkStates)).optional(),
      sortBy: z.enum(['createdAt', 'updatedAt', 'currentClicks', 'lastClickedAt', 'expiresAt']).optional(),
      limit: z.number().int().min(1).max(50).optional(),
      cursor: z.string().optional().describe('nextCursor of the page before.'),
    }),
    effect: 'reads',
    async run(rest, { domain, folder, tag, ...filters }) {
      const folderIds = await idOf(rest, findFolder, folder);
      const query = { ...filters, domainNames: domain, folderIds, tagNames: tag };
      const { count, data, nextCursor } = await rest.call('GET', '/short-link/list', { query });
      if (count === 0) await requireNames(rest, { domain, tag });
      return brief({ count, links: (data as ShortLinkItem[]).map(show), nextCursor });
    },
  }),
  tool({
    name: 'get_link',
    title: 'Read a short link',
    description: 'Every setting of one link, its rules and its newest changes.',
    input: z.strictObject({ link }),
    effect: 'reads',
    async run(rest, { link: name }) {
      const found = await findLink(rest, name);
      const { data } = await rest.call('GET', `/short-link/${found.id}/history`, { query: { limit: 5 } });
      return brief({ ...found, changes: data });
    },
  }),
  tool({
    name: 'update_link',
    title: 'Change a short link',
    description: 'Changes the settings that are given, and leaves the rest.',
    input: z.strictObject({ link, ...settings }),
    effect: 'adds',
    isIdempotent: true,
    async run(rest, { link: name, ...input }) {
      const { id } = await findLink(rest, name);
      const [body] = await draftsOf(rest, [input]);
      return brief(show(await rest.call('PATCH', `/short-link/${id}`, { body })));
    },
  }),
  tool({
    name: 'change_links',
    title: 'Change many short links',
    description: 'Makes one change of up to 100 links: tags, folder, on or off, expiry.',
    input: z.strictObject({
      links,
      addTags: z.array(z.string()).optional(),
      removeTags: z.array(z.string()).optional(),
      folder: z.string().optional(),
      isActive: z.boolean().optional(),
      expiresAt: z.string().optional(),
    }),
    effect: 'adds',
    isIdempotent: true,
    async run(rest, { links: names, folder, ...fields }) {
      const ids = await findLinkIds(rest, names);
      const change = { ...fields, folderId: await idOf(rest, findFolder, folder) };
      if (Object.values(change).every((value) => value === undefined))
        throw new ToolError(
          `Nothing is to be changed: give at least one of the fields beside links.\nNext: ${correctFields}`,
        );
      const { results } = await rest.call('PATCH', '/short-link/bulk', { body: { ids, change } });
      return tellResults(results, ids, 'changed');
    },
  }),
  tool({
    name: 'archive_link',
    title: 'Archive or restore a short link',
    description: 'An archived link stops redirecting and keeps its slug, clicks and history.',
    input: z.strictObject({ link, isArchived: z.boolean().default(true).describe('false: restores it.') }),
    effect: 'adds',
    isIdempotent: true,
    async run(rest, { link: name, isArchived }) {
      const { id } = await findLink(rest, name);
      const { isActive } = await rest.call('POST', `/short-link/${id}/${isArchived ? 'archive' : 'restore'}`);
      if (isArchived) return 'Archived: it no longer redirects.';
      if (isActive) return 'Restored: it redirects again.';
      return 'Restored, and still switched off: it does not redirect.\nNext: call update_link with isActive: true.';
    },
  }),
  tool({
    name: 'delete_links',
    title: 'Delete short links',
    description: 'Deletes up to 100 links with their clicks, for good. archive_link can be taken back.',
    input: z.strictObject({ links, confirm }),
    effect: 'destroys',
    isIdempotent: true,
    async run(rest, { links: names, confirm: isConfirmed }) {
      const ids = await findLinkIds(rest, names);
      if (isConfirmed !== true) {
        const urls = await shortUrlsOf(rest, ids);
        return `Nothing is deleted yet. ${urls.length} links and their statistics would be gone for good: ${urls.join(', ')}. Ask the person, then call delete_links again with confirm: true.`;
      }
      const { results } = await rest.call('DELETE', '/short-link/bulk', { body: { ids } });
      return tellResults(results, ids, 'deleted');
    },
  }),
  tool({
    name: 'get_qr_code',
    title: 'Draw the QR code of a link',
    description: 'The QR code as a picture, in the style of the link or its domain.',
    input: z.strictObject({ link, size: z.number().int().optional().describe('Pixels.') }),
    effect: 'reads',
    async run(rest, { link: name, size }) {
      const found = await findLink(rest, name);
      const picture = await rest.read(`/short-link/${found.id}/qr-code`, { format: 'png', size });
      return { text: `QR code of ${found.originUrl}`, picture };
    },
  }),
];
