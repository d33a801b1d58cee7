import { createDomain, deleteDomain, updateDomain } from '#commands/domains/domains.ts';
import type { Actor } from '#core/audit/actor.ts';
import { searchTerms } from '#core/domains/name.ts';
import { createFileUrl } from '#core/files/url.ts';
import { requireVersion } from '#core/http/version.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import { reaches, requireReached } from '#core/organizations/reach.ts';
import { countLinksOf } from '#db/links/counts.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Domain } from '#db/entities/domains.ts';
import { File } from '#db/entities/files.ts';
import { bodyLimits } from '#api/limits/body-limits.ts';
import { countOf, refuseCounts } from '#api/link-counts.ts';
import type { Routes } from '#api/dependencies.ts';
import { once } from '#api/plugins/idempotency.ts';
import { nothingSchema } from '#api/plugins/validation.ts';
import { deletedSchema, errorResponses, idParamsSchema } from '#api/schemas.ts';
import { createDomainChecker } from './checker.ts';
import {
  presentChecked,
  presentCreated,
  presentChanged,
  presentDns,
  presentDomain,
  presentItem,
  presentQrCodeData,
  presentSummary,
} from './presenter.ts';
import {
  allDomainsSchema,
  checkedDomainSchema,
  changedDomainSchema,
  createdDomainSchema,
  createDomainSchema,
  domainDnsSchema,
  domainListQuerySchema,
  domainListSchema,
  domainSchema,
  patchDomainBodySchema,
  qrCodeDataSchema,
} from './schema.ts';

export const domainRoutes: Routes = async (app, deps) => {
  const { site, clock, baseUrl, domainDns, shares } = deps;
  const fileUrl = createFileUrl(baseUrl);
  const checkDomain = createDomainChecker(deps);

  /** @throws AppError NOT_FOUND, FORBIDDEN. */
  async function readOwn(em: EntityManager, actor: Actor, id: string): Promise<Domain> {
    return requireReached(await em.getRepository(Domain).read(id), actor, 'domainIds');
  }

  app.post('/domain', {
    config: { access: { resource: 'domains', action: 'create' }, versioned: true },
    schema: {
      operationId: 'createDomain',
      summary: 'Add a domain',
      description:
        "The domain serves links once its DNS records are verified. An organization's first domain becomes its primary one and gets a QR code template. `dns.records` lists the records to publish; `warnings` says when this installation cannot name a CNAME.",
      body: createDomainSchema,
      response: { 201: createdDomainSchema, ...errorResponses(400, 404, 409) },
    },
    handler: async (request, reply) => {
      const { actor, body, em } = request;
      const create = async (em: EntityManager) =>
        (await createDomain(em, actor, body.domain, { site, now: clock() })).id;
      const domain = await readOwn(em, actor, await once(request, create));
      return reply.code(201).send(presentCreated(domain, domainDns.listNeeds(domain)));
    },
  });

  app.get('/domain/list', {
    config: { access: { resource: 'domains', action: 'read' }, keepsReach: true },
    schema: {
      operationId: 'listDomains',
      summary: 'List domains',
      description: 'By their date of creation.',
      querystring: domainListQuerySchema,
      response: { 200: domainListSchema, ...errorResponses(400) },
    },
    handler: async ({ actor, em, query }) => {
      const { organizationId, reach } = actor;
      const { search = '', withQrCodeTemplate: withQrCode = false, withCounts = false, ...paging } = query;
      const terms = searchTerms(search);
      const domains = em.getRepository(Domain);
      if (withCounts) refuseCounts(actor);
      const among = reach?.domainIds ?? null;
      const [rows, count] = await domains.list(organizationId, { ...paging, search: terms, among });
      const ids = rows.map(({ id }) => id);
      const links = withCounts
        ? await shares.heavyReads(organizationId, () => countLinksOf(em, 'domain', ids))
        : undefined;
      return { count, data: rows.map((row) => ({ ...presentItem(row, { withQrCode }), ...countOf(links, row.id) })) };
    },
  });

  app.get('/domain/all', {
    config: { access: { resource: 'domains', action: 'read' }, keepsReach: true },
    schema: {
      operationId: 'listAllDomains',
      summary: 'List the domains of the organization and of the platform',
      description:
        "The primary one first, the organization's others by their date of creation, then those of the platform. Links may be on those that are verified.",
      response: { 200: allDomainsSchema, ...errorResponses(400) },
    },
    handler: async ({ actor, em }) => {
      const usable = await em.getRepository(Domain).listUsable(actor.organizationId);
      return usable.filter(({ id }) => reaches(actor, 'domainIds', id)).map(presentSummary);
    },
  });

  app.get('/domain/:id', {
    config: { access: { resource: 'domains', action: 'read' }, versioned: true, keepsReach: true },
    schema: {
      operationId: 'getDomain',
      summary: 'Read a domain',
      params: idParamsSchema,
      response: { 200: domainSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ actor, em, params }) => presentDomain(await readOwn(em, actor, params.id)),
  });

  app.patch('/domain/:id', {
    bodyLimit: bodyLimits.documents,
    config: { access: { resource: 'domains', action: 'update' }, versioned: true },
    schema: {
      operationId: 'updateDomain',
      summary: 'Update a domain',
      description:
        'Fields that are sent change, the others stay; null clears. Another `domain` or `txtRecord` is refused: add the other name as a new domain.',
      params: idParamsSchema,
      body: patchDomainBodySchema,
      response: { 200: changedDomainSchema, ...errorResponses(400, 404, 409) },
    },
    handler: async ({ actor, em, params: { id }, body, ifMatch }) => {
      const options = { now: clock(), site, ifMatch };
      return presentChanged(await em.transactional((em) => updateDomain(em, actor, id, body, options)));
    },
  });

  app.post('/domain/:id/dns-check', {
    config: { access: { resource: 'domains', action: 'update' }, versioned: true },
    schema: {
      operationId: 'checkDomainDns',
      summary: "Check a domain's DNS records",
      description:
        'Answers within 10 seconds. Where no name server answers, the state of the domain stays as it is. If several organizations have added the same name, the first to verify it owns it; the others are answered 409.',
      params: idParamsSchema,
      body: nothingSchema,
      response: { 200: checkedDomainSchema, ...errorResponses(400, 404, 409) },
    },
    handler: async ({ actor, em, params: { id }, ifMatch }) => {
      const { organizationId } = actor;
      const known = await readOwn(em, actor, id);
      requireVersion(ifMatch, known);
      const { domain, txtRecord } = known;
      const finished = await checkDomain({ id, organizationId, domain, txtRecord });
      return presentChecked(await readOwn(em.fork(), actor, id), finished);
    },
  });

  app.get('/domain/:id/dns', {
    config: { access: { resource: 'domains', action: 'read' } },
    schema: {
      operationId: 'getDomainDns',
      summary: "Read a domain's DNS records",
      description:
        'The records to publish, what the last check found of each with the reason where it is not right, and when it is checked next. Asks no name server: POST /domain/{id}/dns-check does.',
      params: idParamsSchema,
      response: { 200: domainDnsSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ actor, em, params: { id } }) => {
      const domain = requireOwn(await em.getRepository(Domain).readDns(id), actor, 'domain');
      return presentDns(domain, domain.dns ?? null, domainDns.listNeeds(domain));
    },
  });

  app.get('/domain/:id/qr-code-data', {
    config: { access: { resource: 'domains', action: 'read' }, keepsReach: true },
    schema: {
      operationId: 'getDomainQrCode',
      summary: "Read a domain's QR code",
      description:
        'The short URL of the domain, marked as a scan, and its QR code template; `image` is the address of an uploaded logo.',
      params: idParamsSchema,
      response: { 200: qrCodeDataSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ actor, em, params }) => {
      const domain = await readOwn(em, actor, params.id);
      const imageId = domain.qrCode?.image?.id;
      const logo = imageId === undefined ? null : await em.findOne(File, { id: imageId });
      return presentQrCodeData(domain, { site, ...(logo && { logoUrl: fileUrl(logo.urlKey) }) });
    },
  });

  app.delete('/domain/:id', {
    config: { access: { resource: 'domains', action: 'delete' }, versioned: true },
    schema: {
      operationId: 'deleteDomain',
      summary: 'Delete a domain',
      description:
        'Its short links, QR codes and statistics are deleted too; its name is free at once. If the primary domain is deleted, the oldest verified one takes its place. This cannot be undone.',
      params: idParamsSchema,
      response: { 200: deletedSchema, ...errorResponses(400, 404, 409) },
    },
    handler: async ({ actor, em, params: { id }, ifMatch }) => {
      await em.transactional((em) => deleteDomain(em, actor, id, { now: clock(), ifMatch }));
      return { rowCount: 1 };
    },
  });
};
