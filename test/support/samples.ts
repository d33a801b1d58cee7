import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signMessage, createWebhookSecret } from '#core/webhooks/signing.ts';
import { root } from '#scripts/lib/paths.ts';
import { sampleGroups } from '#scripts/site/pages.ts';
import type { TestApi } from './api.ts';
import { createDomain, createOrganization } from './factories.ts';
import { createPerson, createUserKey } from './people.ts';
import { createPictures } from './pictures.ts';
import { upload, writeMultipart } from './upload.ts';

/** A sample of the guides. */
export interface Sample {
  /** Page and place in it, as a name that files, modules and functions may have: `qr_codes_2`. */
  name: string;
  text: string;
}

/** Reads the code blocks of all guides that are in a language, and stand beside blocks in other languages. @param language as Markdown names it */
export function readSamples(language: string): Sample[] {
  const sources = [...globSync('docs/api/*.md', { cwd: root }).toSorted(), 'docs/webhooks.md'];
  return sources.flatMap((source) => {
    const page = source.replace(/^.*\//, '').replace(/\.md$/, '').replaceAll('-', '_').toLowerCase();
    return sampleGroups(readFileSync(join(root, source), 'utf8'))
      .flat()
      .filter((sample) => sample.language === language)
      .map(({ text }, index) => ({ name: `${page}_${index + 1}`, text }));
  });
}

/** Makes an organization with what samples name, on a domain of its own. @returns their variables. */
export async function prepareSamples(api: TestApi, address: string, domain?: string): Promise<Record<string, string>> {
  const { id: organizationId, key } = await createOrganization(api.db);
  if (domain !== undefined) await createDomain(api.db, organizationId, { domain, isPrimary: true });
  const { id: adminId } = await createPerson(api.db, { [organizationId]: 'admin' });
  const adminKey = await createUserKey(api.db, organizationId, adminId);
  const create = async (url: string, body: object, by = key): Promise<string> => {
    const made = await api.call('POST', url, body, { headers: { 'x-api-key': by } });
    if (made.status !== 201) throw new Error(`POST ${url}: ${JSON.stringify(made.body)}`);
    return made.body.id;
  };
  const file = writeMultipart([{ filename: 'a.csv', type: 'text/csv', content: 'url\nhttps://example.com/a' }]);
  const imported = await api.call('POST', '/short-link/import', file.payload, {
    headers: { 'x-api-key': key, ...file.headers },
  });
  const image = await upload(api, 'meta-tag', [{ content: (await createPictures()).png }], {
    headers: { 'x-api-key': key },
  });
  const webhook = await create('/webhook', { url: 'https://hooks.example.com/guide', events: ['link.created'] });
  const tested = await api.call('POST', `/webhook/${webhook}/test`, undefined, { headers: { 'x-api-key': key } });
  return {
    API: address,
    KEY: key,
    LINK: await create('/short-link', { destination: { type: 'link', value: 'https://example.com/shoes' } }),
    ADMIN_KEY: adminKey,
    FOLDER: await create('/folder', { name: 'Guide' }),
    TAG: await create('/tag', { name: 'guide' }),
    TEMPLATE: await create('/utm-template', { name: 'Guide', utmSource: 'guide' }),
    IMAGE: image.body.id,
    KEY_ID: await create('/api-key', { type: 'integration', name: 'CI', permissions: { stats: ['read'] } }, adminKey),
    DOMAIN: await create('/domain', { domain: 'links.example.com' }),
    IMPORT: imported.body.id,
    WEBHOOK: webhook,
    DELIVERY: tested.body.id,
  };
}

/** Writes the picture that samples upload, `card.png`. */
export async function writePicture(folder: string): Promise<void> {
  writeFileSync(join(folder, 'card.png'), (await createPictures()).png);
}

/** A request as a webhook sends it: body, headers as JSON, and the secret that proves them. */
export function signedRequest(): Record<string, string> {
  const secret = createWebhookSecret();
  const timestamp = Math.floor(Date.now() / 1_000);
  const data = { link: { slug: 'spring' }, click: { country: 'DE', isQrCode: false } };
  const body = JSON.stringify({ id: 'a', type: 'link.clicked', createdAt: new Date().toISOString(), data });
  const headers = signMessage(
    { id: 'a', timestamp, body },
    { current: secret, previous: undefined },
    'X-Service-Signature',
  );
  return { SECRET: secret, BODY: body, HEADERS: JSON.stringify(headers) };
}
