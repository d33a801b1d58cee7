import type { z } from 'zod';
import { readHostName } from '#core/domains/name.ts';
import { decodePercent } from '#core/lib/text/decode-percent.ts';
import { isUuid } from '#core/lib/uuid.ts';
import { linkStates } from '#db/links/list.ts';
import type { allDomainsSchema } from '#api/domain/schema.ts';
import type { ShortLinkItem } from '#api/short-link/schema.ts';
import { type Rest, ToolError } from './rest.ts';

interface Named {
  id: string;
  name?: string | null;
  url?: string;
}

/** Rows of a page of a list. */
export const mostListed = 50;
// Of an externalId, a slug and words to search for.
const longestName = 255;

/**
 * The link that a person names: by its id, its short address (`go.example.com/spring`), its externalId or its slug.
 * @throws ToolError where none or several are named so.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- as `Rest.call` answers
export async function findLink(rest: Rest, name: string): Promise<any> {
  const written = name.trim();
  const byId = isUuid(written) ? await read(rest, `/short-link/${written}`) : undefined;
  if (byId !== undefined) return byId;
  const { id, whole } = await identify(rest, name, await findExternal(rest, [name]));
  return whole ?? rest.call('GET', `/short-link/${id}`);
}

/** The ids of links that a person names, each once. */
export async function findLinkIds(rest: Rest, names: readonly string[]): Promise<string[]> {
  const externals = await findExternal(rest, names).catch((error: unknown) => {
    // A key that may change links but not read them names them by their ids.
    const isUnread = error instanceof ToolError && error.code === 'ACTION_NOT_ALLOWED';
    if (isUnread && names.every((name) => isUuid(name.trim()))) return new Map<string, ShortLinkItem>();
    throw error;
  });
  const ids = new Set<string>();
  for (const name of names) ids.add((await identify(rest, name, externals)).id);
  return [...ids];
}

/** Links by their externalIds, of those names that may be ones: many are found by one call. */
async function findExternal(rest: Rest, names: readonly string[]): Promise<ReadonlyMap<string, ShortLinkItem>> {
  const found = new Map<string, ShortLinkItem>();
  const wanted = names.map((name) => name.trim()).filter(isPossibleName);
  for (let from = 0; from < wanted.length; from += mostListed) {
    const query = { externalIds: wanted.slice(from, from + mostListed), states: linkStates, limit: mostListed };
    const { data } = (await rest.call('GET', '/short-link/list', { query })) as { data: ShortLinkItem[] };
    for (const link of data) found.set(link.externalId!, link);
  }
  return found;
}

// What the database cannot hold names nothing; the API would refuse a field that the tool does not have.
const isStorable = (name: string): boolean => !name.includes('\0') && name.isWellFormed();
const isPossibleName = (name: string): boolean => name !== '' && name.length <= longestName && isStorable(name);

async function identify(
  rest: Rest,
  name: string,
  externals: ReadonlyMap<string, ShortLinkItem>,
): Promise<{ id: string; whole?: ShortLinkItem }> {
  const written = name.trim();
  const external = externals.get(written);
  // An id comes before an externalId of its form.
  if (isUuid(written)) {
    const isId = external === undefined || (await read(rest, `/short-link/${written}`)) !== undefined;
    return isId ? { id: written } : { id: external.id };
  }
  if (!isStorable(written)) throw noSuchLink(name);
  const address = addressOf(written);
  const there = address && (await read(rest, '/short-link/lookup', address));
  if (there !== undefined) return { id: there.id, whole: there };
  if (!isPossibleName(written)) throw noSuchLink(name);
  const { data, count } = (await rest.call('GET', '/short-link/list', {
    query: { search: written, states: linkStates, limit: mostListed },
  })) as { data: ShortLinkItem[]; count: number };
  const slug = decodePercent(written).normalize('NFC');
  const bySlug =
    count > data.length
      ? await findOnAllDomains(rest, slug)
      : data.filter((link) => link.slug.normalize('NFC') === slug);
  const named = [...bySlug, ...(external === undefined ? [] : [external])];
  const ids = new Set(named.map(({ id }) => id));
  if (ids.size === 1) return { id: named[0]!.id };
  // Words that a link merely holds do not name it: the wrong one would be changed or deleted.
  const similar = ids.size > 0 ? named : data.slice(0, 10);
  if (similar.length === 0) throw noSuchLink(name);
  const choices = similar.map(({ id, originUrl }) => `${originUrl} (${id})`).join(', ');
  const problem = ids.size > 0 ? `Several links are named "${name}"` : `No link is named "${name}"; similar are`;
  throw new ToolError(`${problem}: ${choices}.\nNext: call the tool again with one of these.`);
}

/** The links of a slug, where too many links hold it as a word. */
async function findOnAllDomains(rest: Rest, slug: string): Promise<ShortLinkItem[]> {
  const domains = (await rest.call('GET', '/domain/all')) as { domain: string }[];
  const found: ShortLinkItem[] = [];
  for (const { domain } of domains) {
    const link = await read(rest, '/short-link/lookup', { domain, slug });
    if (link !== undefined) found.push(link);
  }
  return found;
}

/** Reads a link; undefined: there is none. */
async function read(rest: Rest, path: string, query: Record<string, string> = {}): Promise<ShortLinkItem | undefined> {
  try {
    return await rest.call('GET', path, { query });
  } catch (error) {
    if (error instanceof ToolError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

const noSuchLink = (name: string): ToolError =>
  new ToolError(`No link is named "${name}".\nNext: call find_links with other words.`);

/** Domain and slug of a short address, without what follows the slug; undefined where the name is none. */
function addressOf(name: string): { domain: string; slug: string } | undefined {
  const url = /\s/.test(name) ? null : URL.parse(/^https?:\/\//i.test(name) ? name : `http://${name}`);
  const slug = decodePercent(url?.pathname.replace(/^\/|\/$/g, '') ?? '');
  return url === null || !isPossibleName(slug) ? undefined : { domain: url.host, slug };
}

/** The id of what is named; undefined without a name. */
export async function idOf(
  rest: Rest,
  find: (rest: Rest, name: string) => Promise<{ id: string }>,
  name: string | undefined,
): Promise<string | undefined> {
  return name === undefined ? undefined : (await find(rest, name)).id;
}

type ListedDomain = z.output<typeof allDomainsSchema>[number];

/** The domains on which links of the caller may be. */
export const listDomains = async (rest: Rest): Promise<ListedDomain[]> => rest.call('GET', '/domain/all');

/** Names may be as in a short address, with a port or in their own script. */
export async function findDomain(rest: Rest, name: string): Promise<ListedDomain> {
  const host = readHostName(name.replace(/:\d+$/, ''));
  return choose('domain', 'list_domains', await listDomains(rest), host === '' ? name : host, ({ domain }) => domain);
}

/** Names a domain or tag that there is not: a list by it is empty. @throws ToolError */
export async function requireNames(
  rest: Rest,
  { domain, tag }: { domain?: string | undefined; tag?: string | undefined },
) {
  try {
    await idOf(rest, findDomain, domain);
    await idOf(rest, findTag, tag);
  } catch (error) {
    // A key that may not read domains or tags lists links by them all the same.
    if (!(error instanceof ToolError) || error.code === undefined) throw error;
  }
}

/** The first folders or tags that the caller reaches, and the number of all. */
export async function listLabels(
  rest: Rest,
  kind: 'folder' | 'tag',
): Promise<{ data: { id: string; name: string }[]; count: number }> {
  return rest.call('GET', `/${kind}/list`, { query: { limit: mostListed } });
}

/** A folder or tag. An error names some that there are. */
async function findLabel(rest: Rest, kind: 'folder' | 'tag', name: string): Promise<Named> {
  if (isUuid(name)) return rest.call('GET', `/${kind}/${name}`);
  for (let page = 0, left = Number(isPossibleName(name)); left > 0; page += 1) {
    const query = { search: name, page, limit: mostListed };
    const { data, count }: Awaited<ReturnType<typeof listLabels>> = await rest.call('GET', `/${kind}/list`, { query });
    const named = data.find((item) => item.name.toLowerCase() === name.toLowerCase());
    if (named !== undefined) return named;
    left = data.length === 0 ? 0 : count - (page + 1) * mostListed;
  }
  return choose(kind, 'get_account', (await listLabels(rest, kind)).data, name, (item) => item.name);
}

export const findFolder = async (rest: Rest, name: string): Promise<Named> => findLabel(rest, 'folder', name);

export const findTag = async (rest: Rest, name: string): Promise<Named> => findLabel(rest, 'tag', name);

export async function findWebhook(rest: Rest, name: string): Promise<Named> {
  const { data } = await rest.call('GET', '/webhook/list', { query: { limit: mostListed } });
  return choose('webhook', 'list_webhooks', data as Named[], name, (webhook) => [webhook.name, webhook.url]);
}

function choose<T extends { id: string }>(
  kind: string,
  lister: string,
  items: readonly T[],
  wanted: string,
  namesOf: (item: T) => string | null | undefined | (string | null | undefined)[],
): T {
  const key = wanted.toLowerCase();
  const isNamed = (item: T): boolean => [namesOf(item)].flat().some((name) => name?.toLowerCase() === key);
  const byId = items.find(({ id }) => id === key);
  if (byId !== undefined) return byId;
  const named = items.filter(isNamed);
  if (named.length === 1) return named[0]!;
  if (named.length > 1) {
    const choices = named.map((item) => `${[namesOf(item)].flat().filter(Boolean).join(', ')} (${item.id})`);
    throw new ToolError(
      `Several ${kind}s are named "${wanted}": ${choices.join('; ')}.\nNext: call the tool again with the id of one.`,
    );
  }
  const some = items.slice(0, 10).map((item) => [namesOf(item)].flat()[0] ?? item.id);
  const there = some.length === 0 ? 'There is none.' : `There are: ${some.join(', ')}.`;
  throw new ToolError(
    `No ${kind} is named "${wanted}". ${there}\nNext: call ${lister}, then this tool with one of its names.`,
  );
}
