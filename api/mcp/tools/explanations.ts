import { z } from 'zod';
import { osTypes } from '#core/links/draft.ts';
import type { LinkDraft } from '#core/links/draft.ts';
import { compileDraft } from '#core/routing/compiled/compile-draft.ts';
import { explain, toVisitor } from '#core/routing/explain.ts';
import type { ThreatPolicy } from '#core/threats/policy.ts';
import { findDomain, findLink, findWebhook } from '#api/mcp/names.ts';
import type { Rest } from '#api/mcp/rest.ts';
import { brief, table, tool } from '#api/mcp/tool.ts';
import type { DomainDnsAnswer } from '#api/domain/schema.ts';
import type { ShortLink } from '#api/short-link/schema.ts';
import type { Delivery } from '#api/webhook/deliveries-schema.ts';

const words: Record<string, string> = {
  redirect: 'redirected',
  deepLink: 'shown a page that opens the app',
  cloak: 'shown the destination in a frame',
  preview: 'shown the page for previews',
  elsewhere: 'led elsewhere: to the address for expired links',
  notFound: 'shown “not found” (or led to the fallback of the domain)',
  gone: 'told that the link has ended',
  warning: 'warned of threats first',
  blocked: 'blocked: the destination has threats',
  password: 'asked for the password first',
};

/** Decisions of the edge by which a visitor does not get to the destination. */
const awayFromDestination: ReadonlySet<string> = new Set(['elsewhere', 'notFound', 'gone', 'blocked']);

/** What visitors of links with known threats get. */
async function readThreatPolicy(rest: Rest): Promise<ThreatPolicy> {
  const { threatPolicy } = await rest.call('GET', '/organization');
  return threatPolicy;
}

/** Answers to “why”, which the API has in pieces. */
export const explanationTools = [
  tool({
    name: 'explain_domain',
    title: 'Why is this domain not verified?',
    description: 'For each record: what the last look at DNS found, and what is wrong. check_domain looks again.',
    input: z.strictObject({ domain: z.string() }),
    effect: 'reads',
    async run(rest, { domain: name }) {
      const { id, domain } = await findDomain(rest, name);
      const dns = (await rest.call('GET', `/domain/${id}/dns`)) as DomainDnsAnswer;
      const wrong = dns.found?.filter(({ ok }) => !ok) ?? [];
      return [
        `${domain} is ${dns.state}. Last checked: ${dns.checkedAt ?? 'never'}; next check: ${dns.nextCheckAt ?? 'none'}.`,
        ...wrong.map(({ type, name: record, message }) => `${type} ${record}: ${message}`),
        table(
          ['type', 'name', 'value that DNS needs'],
          dns.needed.map((one) => [one.type, one.name, one.value]),
        ),
        dns.state === 'verified' ? '' : 'Next: once the records are set, call check_domain.',
      ]
        .join('\n\n')
        .trim();
    },
  }),
  tool({
    name: 'check_domain',
    title: 'Look up the DNS of a domain now',
    description: 'Checks the records within 10 seconds and verifies the domain where they are right.',
    input: z.strictObject({ domain: z.string() }),
    effect: 'adds',
    isIdempotent: true,
    async run(rest, { domain: name }) {
      const { id, domain } = await findDomain(rest, name);
      const { isVerified } = await rest.call('POST', `/domain/${id}/dns-check`);
      return isVerified ? `${domain} is verified.` : `${domain} is not verified.\nNext: call explain_domain.`;
    },
  }),
  tool({
    name: 'explain_webhook',
    title: 'Why does this webhook fail?',
    description: 'Its state, what its server last answered, when it is tried again, and its newest failed deliveries.',
    input: z.strictObject({ webhook: z.string().describe('Name, URL or id.') }),
    effect: 'reads',
    async run(rest, { webhook: name }) {
      const { id, url } = await findWebhook(rest, name);
      const [webhook, outlook, deliveries] = [
        await rest.call('GET', `/webhook/${id}`),
        await rest.call('GET', `/webhook/${id}/outlook`),
        await rest.call('GET', `/webhook/${id}/deliveries`, { query: { status: 'failed', limit: 5 } }),
      ];
      const failed = deliveries.data as Delivery[];
      return [
        `${url} is ${outlook.state}.${webhook.disabledReason === null ? '' : ` Turned off: ${webhook.disabledReason}.`}`,
        brief({ ...outlook, consecutiveFailures: webhook.consecutiveFailures, isPaused: webhook.isPaused }),
        ...(failed.length === 0
          ? ['No delivery has failed for good.']
          : [
              table(
                ['delivery', 'event', 'answer', 'attempts', 'at'],
                failed.map((one) => [
                  one.id,
                  one.type,
                  one.responseCode ?? one.error ?? 'none',
                  one.attempts,
                  one.createdAt,
                ]),
              ),
            ]),
      ].join('\n\n');
    },
  }),
  tool({
    name: 'explain_visit',
    title: 'Why did a visitor go there?',
    description: 'Decides an imagined visit by the edge’s own function, and says what each step and rule came to.',
    input: z.strictObject({
      link: z.string(),
      country: z
        .string()
        .regex(/^[A-Za-z]{2}$/, 'must be a code of two letters')
        .optional()
        .describe('ISO 3166; unknown by default.'),
      language: z.string().optional().describe('de or de-AT.'),
      os: z.enum(osTypes).optional(),
      kind: z.enum(['person', 'previewer', 'bot']).optional(),
      scansQrCode: z.boolean().optional(),
      query: z.string().optional(),
      knowsPassword: z.boolean().optional(),
    }),
    effect: 'reads',
    async run(
      rest,
      { link: name, country, language, os = 'other', kind = 'person', scansQrCode = false, query = '', knowsPassword },
    ) {
      const link = (await findLink(rest, name)) as ShortLink;
      const shown = [link.destination, ...link.rules.map(({ destination }) => destination)];
      const expiresAt = link.expiresAt === null ? null : new Date(link.expiresAt);
      const compiled = compileDraft({ ...link, expiresAt } as unknown as LinkDraft, {
        hasPassword: link.hasPassword,
        threatPolicy: await readThreatPolicy(rest),
        threatTypesOf: (url) => shown.find(({ value }) => value === url)?.threatTypes ?? [],
      });
      const isOff = link.isArchived || link.takenDown !== null;
      const { maxClicks } = compiled;
      const explained = explain({
        domain: {
          id: '',
          organizationId: '',
          domain: link.domain.domain,
          fallbackLocation: null,
          appleAppSiteAssociation: null,
          androidAssetLinks: null,
        },
        link: isOff ? { ...compiled, isActive: false } : compiled,
        visitor: toVisitor({
          kind,
          country: country?.toUpperCase() ?? null,
          language: language ?? null,
          osType: os,
          scansQrCode,
          query: query.replace(/^\?/, ''),
        }),
        nowMs: Date.now(),
        isAdmitted: knowsPassword === true,
        cap: maxClicks !== null && link.currentClicks >= maxClicks ? 'spent' : 'granted',
      });
      const { decision, chosenRule, failedConditions, steps, location } = explained;
      const deciding = steps.find(({ outcome }) => outcome === 'decided');
      const off = link.isArchived
        ? ' The link is archived.'
        : link.takenDown === null
          ? ''
          : ' The link was taken down.';
      return [
        `The visitor is ${words[decision.kind] ?? decision.kind}; the step “${deciding?.name}” decides.${off}${link.domain.isVerified ? '' : ` ${link.domain.domain} is not verified: its links do not work.`}`,
        ...(awayFromDestination.has(decision.kind)
          ? []
          : [`Destination: ${location} (${chosenRule === null ? 'the link’s own' : `of rule ${chosenRule + 1}`}).`]),
        ...(failedConditions.length === 0
          ? []
          : [
              table(
                ['rule', 'leads to', 'conditions that fail'],
                failedConditions.map((failed, index) => [
                  index + 1,
                  compiled.rules[index]?.destination.url,
                  failed.join(', ') || 'none: it matches',
                ]),
              ),
            ]),
      ].join('\n\n');
    },
  }),
  tool({
    name: 'explain_clicks',
    title: 'Why are clicks missing?',
    description: 'Looks at what keeps a link’s clicks from being counted: state, domain, delay, machines, the period.',
    input: z.strictObject({ link: z.string() }),
    effect: 'reads',
    async run(rest, { link: name }) {
      const link = (await findLink(rest, name)) as ShortLink;
      const report = await rest.call('GET', '/stats/report', { query: { shortLinkIds: link.id } });
      const ready = await rest.call('GET', '/readyz');
      const isOver = link.expiresAt !== null && Date.parse(link.expiresAt) <= Date.now();
      const reasons = [
        link.isArchived && 'It is archived: it does not redirect. archive_link with isArchived: false restores it.',
        !link.isActive && 'It is switched off. update_link with isActive: true switches it on.',
        link.takenDown !== null && 'The operator took it down.',
        isOver && `It ended at ${link.expiresAt}: later visits are no clicks.`,
        typeof link.maxClicks === 'number' &&
          link.currentClicks >= link.maxClicks &&
          `Its cap of ${link.maxClicks} clicks is used up.`,
        link.hasPassword && 'It has a password: a visit counts once the password is given.',
        link.destination.threatTypes?.length &&
          (await readThreatPolicy(rest)) !== 'pass' &&
          'Its destination has threats: visitors are warned or blocked, and only those who go on count.',
        !link.domain.isVerified && `${link.domain.domain} is not verified: call explain_domain.`,
        ready.degraded.length > 0 &&
          `The installation is degraded: ${ready.degraded.join(', ')}. Clicks wait in journals and are counted later.`,
      ].filter((reason) => typeof reason === 'string');
      return [
        `${link.originUrl}: ${link.currentClicks} clicks since ${link.createdAt}, ${link.lastClickedAt === null ? 'none yet' : `the last at ${link.lastClickedAt}`}; ${report.totalClicks} in the last 30 days.`,
        ...(reasons.length === 0 ? ['Nothing about the link keeps clicks from being counted.'] : reasons),
        'Never counted: bots, previews, prefetches, HEAD requests, visits of the same page’s parts, and opens of an app by a universal link. Clicks appear within seconds.',
      ].join('\n');
    },
  }),
];
