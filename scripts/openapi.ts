import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { createSealing } from '#adapters/sealing.ts';
import { createApi } from '#api/app.ts';
import { createSite } from '#core/links/site.ts';
import { root } from './lib/paths.ts';
import { readBaseline, writeBaseline } from './openapi/baseline.ts';
import { type Description, findBreakingChanges } from './openapi/breaking-changes.ts';

// `npm run openapi`: writes docs/openapi.json, and lists what breaks clients of the baseline. With --baseline it makes the
// description the new baseline (docs/release.md).

export const openapiPath = join(root, 'docs/openapi.json');

/** The text of `docs/openapi.json`: the document that `/doc` serves, without the address of the server. */
export function renderOpenapi({ servers: _servers, ...document }: Record<string, unknown>): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The OpenAPI document of the code, without starting or calling anything. */
async function describeApi(): Promise<Record<string, unknown>> {
  const app = await createApi({
    db: absent('db'),
    em: absent('em'),
    site: createSite({ scheme: 'http', platformDomain: 'localhost:3001' }),
    keyUses: absent('keyUses'),
    shares: absent('shares'),
    limiter: absent('limiter'),
    nameClient: absent('nameClient'),
    isBreached: absent('isBreached'),
    sealing: createSealing(['nothing is sealed with it, and it is kept nowhere']),
    verdicts: absent('verdicts'),
    findLocalAnswers: absent('findLocalAnswers'),
    domainDns: absent('domainDns'),
    domainActor: absent('domainActor'),
    storage: absent('storage'),
    images: absent('images'),
    qrCodes: absent('qrCodes'),
    pagePreviews: absent('pagePreviews'),
    http: absent('http'),
    health: { degraded: absent('degraded') },
    journalLagMs: absent('journalLagMs'),
    workflows: absent('workflows'),
    clock: absent('clock'),
    baseUrl: 'http://localhost:3000',
    consoleFolder: root,
    webhookSignatureHeader: 'X-Service-Signature',
    threatScanWaitMs: 0,
    importBytesPerDay: 0,
    hasGeoip: true,
    installation: { version: '0.0.0', hasMail: true, supportContact: null, temporalUiUrl: null },
    oidc: { trusted: absent('oidc'), guarded: absent('oidc') },
    needsStaffFactor: false,
    trustedProxies: [],
    securityContacts: [],
    logger: pino({ level: 'silent' }),
  });
  await app.ready();
  const document = { ...app.swagger() };
  await app.close();
  return document;
}

/** Stands for dependencies that routes use only when they are called. */
function absent(name: string): never {
  const refuse = (): never => {
    throw new Error(`A route used ${name} although it was not called.`);
  };
  return new Proxy(() => {}, { get: refuse, apply: refuse }) as never;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { baseline: { type: 'boolean', default: false } } });
  const document = await describeApi();
  writeFileSync(openapiPath, renderOpenapi(document));
  if (values.baseline) {
    writeBaseline(document);
    return;
  }
  const broken = findBreakingChanges(readBaseline(), document as unknown as Description);
  if (broken.length > 0) console.error(`Changes that break clients of the last release:\n${broken.join('\n')}`);
}

if (import.meta.main) await main();
