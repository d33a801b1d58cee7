import { NotFoundError } from '@waymark/sdk';
import { UsageError } from './errors.js';

const id = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/**
 * Finds a link by its id, its short address, or `domain/slug`.
 * @param {import('@waymark/sdk').Waymark} client @param {string} text
 * @throws UsageError that names the one that there is not
 */
export async function findLink(client, text) {
  try {
    return await readLink(client, text);
  } catch (error) {
    if (error instanceof NotFoundError) throw new UsageError(`There is no link ${text}.`, 3);
    throw error;
  }
}

function readLink(client, text) {
  if (id.test(text)) return client.links.get(text);
  const address = addressOf(text.trim());
  if (address === undefined)
    throw new UsageError(`Name a link by its short address, by domain/slug or by its id: ${text}`);
  return client.links.find(address);
}

/** Domain and slug of a short address, without what follows the slug, as agents name links (api/mcp/names.ts). */
function addressOf(text) {
  const whole = /^https?:\/\//i.test(text) ? text : `http://${text}`;
  if (/\s/.test(text) || !URL.canParse(whole)) return undefined;
  const { host, pathname } = new URL(whole);
  const slug = decode(pathname.replaceAll(/^\/|\/$/g, ''));
  return slug === '' ? undefined : { domain: host, slug };
}

function decode(slug) {
  try {
    return decodeURIComponent(slug);
  } catch {
    return slug;
  }
}

/** Finds a folder or a domain by its id or name. @throws UsageError that names those there are */
async function findByName(list, text, nameOf, what) {
  const names = [];
  for await (const item of list) {
    if (item.id === text || nameOf(item).toLowerCase() === text.toLowerCase()) return item;
    names.push(nameOf(item));
  }
  const known = names.slice(0, 10).join(', ');
  throw new UsageError(`There is no ${what} ${text}${known === '' ? '' : `; there are: ${known}`}.`, 3);
}

export const findFolder = (client, text) => findByName(client.folders.list(), text, ({ name }) => name, 'folder');
/** Finds a domain that links may be on, of the organization or of the installation, also by its name in its own script. */
export async function findDomain(client, text) {
  const host = URL.canParse(`http://${text}`) ? new URL(`http://${text}`).hostname : text;
  return findByName(await client.domains.listAll(), host, ({ domain }) => domain, 'domain');
}
