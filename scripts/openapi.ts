import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { createSealing } from '#adapters/sealing.ts';
import { createApi } from '#api/app.ts';
import { createShares } from '#api/shares.ts';
import { createSite } from '#core/links/site.ts';
import { root } from './lib/paths.ts';
import { writeBaseline } from './openapi/baseline.ts';

// `npm run -s openapi`: prints the description of the API as `/doc` serves it. With --baseline it becomes the one that later
// changes must not break (docs/release.md).

/** The OpenAPI document of the code, without starting or calling anything. */
export async function describeApi(): Promise<Record<string, unknown>> {
  const app = await createApi({
    db: absent('db'),
    em: absent('em'),
    statistics: absent('statistics'),
    site: createSite({ scheme: 'http', platformDomain: 'localhost:3001' }),
    keyUses: absent('keyUses'),
    shares: createShares(1),
    limiter: absent('limiter'),
    nameClient: absent('nameClient'),
    isBreached: absent('isBreached'),
    fetchClientDocument: absent('fetchClientDocument'),
    sealing: createSealing(['nothing is sealed with it, and it is kept nowhere']),
    verdictWaiter: absent('verdicts'),
    findLocalAnswers: absent('findLocalAnswers'),
    domainDns: absent('domainDns'),
    domainWorkflow: absent('domainWorkflow'),
    storage: absent('storage'),
    images: absent('images'),
    qrCodes: absent('qrCodes'),
    pagePreviews: absent('pagePreviews'),
    siteIcons: absent('siteIcons'),
    http: absent('http'),
    health: { degraded: absent('degraded') },
    journalLagMs: absent('journalLagMs'),
    workflows: absent('workflows'),
    clock: absent('clock'),
    baseUrl: 'http://localhost:3000',
    consoleFolder: root,
    siteFolder: root,
    webhookSignatureHeader: 'X-Service-Signature',
    webhookRetryGapsMs: [],
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
  if (values.baseline) writeBaseline(document);
  else process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}

if (import.meta.main) await main();
