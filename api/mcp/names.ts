import { type Rest, ToolError } from './rest.ts';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

interface Named {
  id: string;
  name?: string | null;
  domain?: string;
  url?: string;
}

interface ListedName {
  id: string;
  slug: string;
  externalId: string | null;
  originUrl: string;
}

/** The link that a person names: by its id, its short address (`go.example.com/spring`), its externalId or its slug. */
// oxlint-disable-next-line typescript/no-explicit-any -- as `Rest.call` answers
export async function findLink(rest: Rest, name: string): Promise<any> {
  const [domain, slug] = addressOf(name);
  if (slug !== undefined) return rest.call('GET', '/short-link/lookup', { query: { domain, slug } });
  return rest.call('GET', `/short-link/${await findLinkId(rest, name)}`);
}

/** The ids of links that a person names; an id costs no call. */
export async function findLinkIds(rest: Rest, names: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push(await findLinkId(rest, name));
  return ids;
}

async function findLinkId(rest: Rest, name: string): Promise<string> {
  if (uuid.test(name)) return name;
  const [domain, slug] = addressOf(name);
  if (slug !== undefined) {
    const { id } = await rest.call('GET', '/short-link/lookup', { query: { domain, slug } });
    return id as string;
  }
  const list = async (query: { externalIds?: string; search?: string }): Promise<ListedName[]> =>
    (await rest.call('GET', '/short-link/list', { query: { ...query, limit: 10 } })).data;
  const links = await list({ search: name });
  const exact = links.filter((link) => link.slug === name);
  if (exact.length === 1) return exact[0]!.id;
  // The filter takes a comma for the end of one of several.
  const byExternalId =
    exact.length === 0 ? (await list({ externalIds: name })).find((link) => link.externalId === name) : undefined;
  if (byExternalId !== undefined) return byExternalId.id;
  // Words that a link merely holds do not name it: the wrong one would be changed or deleted.
  const similar = exact.length > 0 ? exact : links;
  if (similar.length === 0) throw new ToolError(`No link is named "${name}".\nNext: call find_links with other words.`);
  const choices = similar.map(({ id, originUrl }) => `${originUrl} (${id})`).join(', ');
  const problem = exact.length > 0 ? `Several links are named "${name}"` : `No link is named "${name}"; similar are`;
  throw new ToolError(`${problem}: ${choices}.\nNext: call the tool again with one of these.`);
}

/** Domain and slug of a short address; none where the name is no address. */
function addressOf(name: string): [domain?: string, slug?: string] {
  const [, domain, slug] = /^(?:https?:\/\/)?([^/]+)\/(.+)$/i.exec(name) ?? [];
  return [domain, slug];
}

export async function findDomain(rest: Rest, name: string): Promise<Named & { isVerified: boolean }> {
  const all = (await rest.call('GET', '/domain/all')) as (Named & { isVerified: boolean })[];
  return choose('domain', 'list_domains', all, name, ({ domain }) => domain);
}

/** A folder or tag. An error names some that there are. */
async function findLabel(rest: Rest, kind: 'folder' | 'tag', name: string): Promise<Named> {
  if (uuid.test(name)) return rest.call('GET', `/${kind}/${name}`);
  const list = async (query: { search?: string; limit?: number }): Promise<Named[]> =>
    (await rest.call('GET', `/${kind}/list`, { query })).data;
  const named = (await list({ search: name })).find((item) => item.name?.toLowerCase() === name.toLowerCase());
  return named ?? choose(kind, 'get_account', await list({ limit: 10 }), name, (item) => item.name);
}

export const findFolder = async (rest: Rest, name: string): Promise<Named> => findLabel(rest, 'folder', name);

export const findTag = async (rest: Rest, name: string): Promise<Named> => findLabel(rest, 'tag', name);

export async function findWebhook(rest: Rest, name: string): Promise<Named> {
  const { data } = await rest.call('GET', '/webhook/list', { query: { limit: 50 } });
  return choose('webhook', 'list_webhooks', data as Named[], name, (webhook) => [webhook.name, webhook.url]);
}

function choose<T extends Named>(
  kind: string,
  lister: string,
  items: readonly T[],
  wanted: string,
  namesOf: (item: T) => string | null | undefined | (string | null | undefined)[],
): T {
  const key = wanted.toLowerCase();
  const found = items.find(
    (item) => item.id === key || [namesOf(item)].flat().some((name) => name?.toLowerCase() === key),
  );
  if (found !== undefined) return found;
  const some = items.slice(0, 10).map((item) => [namesOf(item)].flat()[0] ?? item.id);
  const there = some.length === 0 ? 'There is none.' : `There are: ${some.join(', ')}.`;
  throw new ToolError(
    `No ${kind} is named "${wanted}". ${there}\nNext: call ${lister}, then this tool with one of its names.`,
  );
}
