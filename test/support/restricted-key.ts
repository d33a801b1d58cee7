import { allPermissions, createDomain, createFolder, createOrganization } from './factories.ts';
import { type BrowserHeaders, createSignedIn } from './people.ts';
import { ingestClicks, testClick } from './stats.ts';
import type { Answer, TestApi } from './api.ts';
import type { Headers } from './walker.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** In every name and text of what is beyond the reach of a scene's key. */
export const secret = 'hidden-marker';
/** The destination of the link with a slug. */
export const link = (slug: string) => ({ type: 'link', value: `https://example.com/${slug}` });

/** An organization with a key that is restricted to one of two folders and one of two domains. */
export interface Scene {
  organizationId: string;
  owner: BrowserHeaders;
  /** Headers of a key that is restricted to `folderId` and `domainId`. */
  key: Headers;
  keyId: string;
  folderId: string;
  domainId: string;
  otherFolderId: string;
  otherDomainId: string;
  /** Ids of links: within reach, in another folder, on another domain, and in neither. */
  inside: string;
  outside: string[];
}

/**
 * Makes a function that calls the API with the headers given and no others, so without the key of the test organization. A body of JSON
 * is parsed; any other is a text.
 */
export const callOf =
  (api: TestApi) =>
  (headers: Headers, method: Method, url: string, body?: unknown): Promise<Answer> =>
    api.app
      .inject({
        method,
        url,
        headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as never,
        ...(body === undefined ? {} : { payload: body as never }),
      })
      .then(({ statusCode, headers: answered, payload }) => ({
        status: statusCode,
        headers: answered,
        body: payload !== '' && /json/.test(String(answered['content-type'])) ? JSON.parse(payload) : payload,
      }));

/** Makes a scene: links, clicks and notes within the reach of its key and beyond it. */
export async function createScene(api: TestApi): Promise<Scene> {
  const call = callOf(api);
  const { id: organizationId } = await createOrganization(api.db);
  const { headers: owner } = await createSignedIn(api.db, organizationId, 'owner');
  const { id: domainId } = await createDomain(api.db, organizationId);
  const { id: otherDomainId } = await createDomain(api.db, organizationId, { domain: `${secret}-${domainId}.example` });
  const folderId = await createFolder(api.db, organizationId);
  const otherFolderId = await createFolder(api.db, organizationId, { name: `${secret} folder` });
  const make = async (slug: string, place: object): Promise<string> => {
    const body = { destination: link(slug), slug, title: slug, externalId: slug, tags: [slug.slice(0, 20)], ...place };
    const made = await call(owner, 'POST', '/short-link', body);
    if (made.status !== 201) throw new Error(`A link of the scene was refused: ${JSON.stringify(made.body)}`);
    return made.body.id;
  };
  const inside = await make('inside', { folderId, domainId });
  const outside = [
    await make(`${secret}-folder`, { folderId: otherFolderId, domainId }),
    await make(`${secret}-domain`, { folderId, domainId: otherDomainId }),
    // On the platform's domain, which all scenes share.
    await make(`${secret}-${folderId}`, {}),
  ];
  for (const id of [inside, ...outside])
    await call(owner, 'PATCH', `/short-link/${id}`, { notes: `${id === inside ? 'inside' : secret} notes` });
  const body = {
    type: 'integration',
    name: 'Restricted',
    permissions: allPermissions,
    folderIds: [folderId],
    domainIds: [domainId],
  };
  const made = await call(owner, 'POST', '/api-key', body);
  if (made.status !== 201) throw new Error(`The key of the scene was refused: ${JSON.stringify(made.body)}`);
  const clicks = [inside, ...outside].map((linkId) => {
    const isInside = linkId === inside;
    const place = isInside ? { domainId, folderId } : { domainId: otherDomainId, folderId: otherFolderId };
    return testClick({ organizationId, linkId, ...place, city: isInside ? 'Here' : secret });
  });
  await ingestClicks(api.db, clicks);
  const ids = { folderId, domainId, otherFolderId, otherDomainId, inside, outside };
  return { organizationId, owner, key: { 'x-api-key': made.body.key }, keyId: made.body.id, ...ids };
}
