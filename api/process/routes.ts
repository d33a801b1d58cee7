import { AppError } from '#core/errors/errors.ts';
import type { Actor } from '#core/audit/actor.ts';
import { isAllowed } from '#core/organizations/permissions.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Domain } from '#db/entities/domains.ts';
import { Import } from '#db/entities/imports.ts';
import { ApiKey } from '#db/entities/accounts/people.ts';
import { Delivery, Webhook } from '#db/entities/webhooks.ts';
import { readLinks } from '#db/links/view.ts';
import {
  listDeletionsOf,
  listEndingLinksOf,
  listRecoveriesOf,
  listUnfinishedImportsOf,
  listUnsettledDomainsOf,
  listUnsettledWebhooksOf,
} from '#db/organizations/processes.ts';
import { errorResponses } from '#api/schemas.ts';
import type { Routes } from '#api/dependencies.ts';
import {
  deletionSteps,
  domainSteps,
  endingLinkSteps,
  importSteps,
  joinSteps,
  keySteps,
  linkSteps,
  recoverySteps,
  type Steps,
  webhookSteps,
  webhookSubject,
} from './presenter.ts';
import { processListSchema, processQuerySchema, processSchema, type Subject } from './schema.ts';

const access = { resource: 'shortLinks', action: 'read' } as const;
const dayMs = 86_400_000;
const upcomingMs = 30 * dayMs;

/** What runs for an organization or one of its subjects, and what comes next, by their rows. */
export const processRoutes: Routes = async (app, { db, clock, shares }) => {
  app.get('/process', {
    config: { access },
    schema: {
      operationId: 'getProcesses',
      summary: 'Read what runs for a subject, and what comes next',
      description:
        'Of a short link, a domain, a webhook or an import: the processes of the service that work for it, and the moments to come. 404 for other subjects, and for a domain or webhook that the caller may not read.',
      querystring: processQuerySchema,
      response: { 200: processSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ actor, em, query: { subject: id } }) => {
      const found = await readSubject(em, actor, id);
      const others = (await readOthers(em, actor)).filter(({ now }) => now.some(({ subject }) => subject.id === id));
      const { now, next } = joinSteps([...(found === undefined ? [] : [found.steps]), ...others]);
      const subject = found?.subject ?? now[0]?.subject;
      if (subject === undefined) throw new AppError('NOT_FOUND', 'There is nothing of this id.');
      return { subject, now, next };
    },
  });

  app.get('/process/list', {
    config: { access },
    schema: {
      operationId: 'listProcesses',
      summary: 'List what runs, and what will happen in the next 30 days',
      description:
        'Imports, undos, deletions and recoveries with their progress, domains and webhooks in trouble; links, secrets and API keys that end. Domains, webhooks and API keys for callers that may read these.',
      response: { 200: processListSchema, ...errorResponses(400) },
    },
    handler: async ({ actor, em }) => {
      const { organizationId } = actor;
      const now = clock();
      const until = new Date(now.getTime() + upcomingMs);
      const imports = await listUnfinishedImportsOf(em, organizationId);
      const links = await listEndingLinksOf(em, organizationId, { now, until });
      const domains = mayRead(actor, 'domains') ? await listUnsettledDomainsOf(em, organizationId) : [];
      const webhooks = mayRead(actor, 'webhooks') ? await listUnsettledWebhooksOf(em, organizationId, now) : [];
      const keys = mayRead(actor, 'apiKeys')
        ? await em.getRepository(ApiKey).listEnding(organizationId, { now, until })
        : [];
      const steps = joinSteps([
        ...imports.map(importSteps),
        ...(await readOthers(em, actor)),
        ...domains.map(domainSteps),
        ...webhooks.map((webhook) => webhookSteps(webhook, undefined, now)),
        ...links.map(endingLinkSteps),
        ...keys.map((key) => keySteps(key, now)),
      ]);
      return {
        running: steps.now.filter(({ state }) => state !== 'well' && state !== 'paused' && state !== 'off'),
        upcoming: steps.next.filter(({ at }) => at <= until.toISOString()),
      };
    },
  });

  /** The steps of a live subject of the caller's organization; undefined: there is none of this id. */
  async function readSubject(
    em: EntityManager,
    actor: Actor,
    id: string,
  ): Promise<{ subject: Subject; steps: Steps } | undefined> {
    const now = clock();
    const [link] = await readLinks(db, [id]);
    if (link !== undefined) {
      const { slug } = requireOwn(link, actor, 'short link');
      return { subject: { type: 'shortLink', id, name: slug }, steps: linkSteps(link, now) };
    }
    const domain = await em.getRepository(Domain).readDns(id);
    if (domain !== null && mayRead(actor, 'domains')) {
      const own = requireOwn(domain, actor, 'domain');
      return { subject: { type: 'domain', id, name: own.domain }, steps: domainSteps(own) };
    }
    const webhook = await em.findOne(Webhook, { id });
    if (webhook !== null && mayRead(actor, 'webhooks')) {
      const subject = webhookSubject(requireOwn(webhook, actor, 'webhook'));
      const deliveries = em.getRepository(Delivery);
      const since = new Date(now.getTime() - dayMs);
      const summary = await shares.heavyReads(actor.organizationId, () => deliveries.summarize(id, since));
      return { subject, steps: webhookSteps(webhook, summary, now) };
    }
    const held = await em.findOne(Import, { id });
    if (held === null) return undefined;
    return { subject: { type: 'import', id, name: null }, steps: importSteps(requireOwn(held, actor, 'import')) };
  }

  async function readOthers(em: EntityManager, actor: Actor): Promise<Steps[]> {
    const { organizationId } = actor;
    const deletions = (await listDeletionsOf(em, organizationId)).filter(
      ({ kind }) => kind !== 'domain' || mayRead(actor, 'domains'),
    );
    const recoveries = mayRead(actor, 'webhooks') ? await listRecoveriesOf(em, organizationId) : [];
    return [...deletions.map(deletionSteps), ...recoveries.map(recoverySteps)];
  }
};

const mayRead = ({ permissions }: Actor, resource: 'domains' | 'webhooks' | 'apiKeys'): boolean =>
  isAllowed(permissions, resource, 'read');
