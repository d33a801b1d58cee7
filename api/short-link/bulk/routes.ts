import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { deleteLinks } from '#commands/links/delete.ts';
import { updateLinks } from '#commands/links/change/update.ts';
import type { CreatedLink } from '#commands/links/create/created-view.ts';
import { createLinks, linkTransaction, recordCreatedLinks } from '#commands/links/create/create.ts';
import type { Verdicts } from '#commands/threats/verdicts.ts';
import { bodyLimits } from '#api/limits/body-limits.ts';
import type { Actor } from '#core/audit/actor.ts';
import { inSlices } from '#core/lib/slices.ts';
import { AppError, type ErrorCode, type ErrorDetails } from '#core/errors/errors.ts';
import { invalidBy } from '#core/errors/issues.ts';
import { idSchema } from '#core/links/draft.ts';
import type { LinkPatch } from '#core/links/patch.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { errorResponses } from '#api/schemas.ts';
import type { Routes } from '#api/dependencies.ts';
import { createLinkAnswers } from '#api/short-link/answers.ts';
import { hashLinkPasswords } from '#api/short-link/passwords.ts';
import {
  bulkCreateSchema,
  bulkDeletedSchema,
  bulkDeleteSchema,
  bulkLinksSchema,
  bulkPatchRowSchema,
  bulkPatchSchema,
  bulkQuerySchema,
} from './schema.ts';
import { type ChangedLink, createBodySchema } from '#api/short-link/schema.ts';

interface ChangedRow {
  id: string;
  verdicts: Verdicts;
  /** The rows of a new link. */
  created?: CreatedLink | null;
}

/** Outcome of one row of a bulk call: a link, or a failure ready to be shown. */
type Outcome = ChangedRow | BulkRow<never>;

/** Bulk calls: each row succeeds or fails by itself (3.10). */
export const bulkRoutes: Routes = async (app, deps) => {
  const { site, clock, shares } = deps;
  const createBody = createBodySchema(clock);
  const answers = createLinkAnswers(deps);

  const transact = <T>(
    { actor, em }: Pick<FastifyRequest, 'actor' | 'em'>,
    change: (em: EntityManager) => Promise<T>,
  ): Promise<T> => shares.bulkWrites(actor.organizationId, () => em.transactional(change, linkTransaction));

  const listenOptions = ({ query }: { query: z.output<typeof bulkQuerySchema> }) => ({
    isBulk: true,
    isWaited: query.wait === 'verdicts',
  });

  const toOutcome = (result: AppError | ChangedRow): Outcome =>
    result instanceof AppError ? failedRow(result) : result;

  // For an Idempotency-Key the id is enough: a repeated call reads the link.
  const toNote = (outcome: Outcome): Pick<ChangedRow, 'id'> | BulkRow<never> =>
    'id' in outcome ? { id: outcome.id } : outcome;

  /** One change of many links has one password, which is hashed once. */
  async function hashPasswords(
    actor: Actor,
    patches: readonly LinkPatch[],
    change: LinkPatch | undefined,
  ): Promise<(string | null)[]> {
    if (change === undefined) return hashLinkPasswords(shares, actor, patches);
    const [hash = null] = await hashLinkPasswords(shares, actor, [change]);
    return patches.map(() => hash);
  }

  const verdictsOf = (outcomes: readonly Outcome[]): Verdicts =>
    new Map(outcomes.flatMap((outcome) => ('id' in outcome ? [...outcome.verdicts] : [])));

  async function present(
    outcomes: readonly (Outcome | Pick<ChangedRow, 'id'>)[],
    status: number,
    verdicts?: Verdicts,
  ): Promise<BulkRow<ChangedLink>[]> {
    const made = outcomes.flatMap((outcome) => ('id' in outcome ? outcome : []));
    const links = await answers.showMany(made, verdicts);
    return outcomes.map((outcome) => {
      if (!('id' in outcome)) return outcome;
      const data = links.get(outcome.id);
      return data === undefined ? failedRow(new AppError('NOT_FOUND')) : { status, data };
    });
  }

  app.post('/short-link/bulk', {
    bodyLimit: bodyLimits.large,
    config: { access: { resource: 'shortLinks', action: 'create' }, keepsReach: true },
    schema: {
      operationId: 'createShortLinks',
      summary: 'Create up to 100 short links',
      querystring: bulkQuerySchema,
      body: bulkCreateSchema,
      response: { 201: bulkLinksSchema, ...errorResponses(400, 409) },
    },
    handler: async (request, reply) => {
      const { actor, idempotent } = request;
      const known = idempotent?.earlier as ReturnType<typeof toNote>[] | null | undefined;
      if (known) return reply.code(201).send({ results: await present(known, 201) });
      const rows = await checkRows(createBody, request.body.links);
      const drafts = rightRows(rows);
      const passwordHashes = await hashLinkPasswords(shares, actor, drafts);
      using listening = await answers.listen(actor, drafts, listenOptions(request));
      const { localAnswers } = listening;
      const requests = drafts.map((draft, index) => {
        const passwordHash = passwordHashes[index]!;
        return { actor, draft, passwordHash, localAnswers };
      });
      const create = async (em: EntityManager) => {
        const results = await createLinks(em, requests, { site, now: clock(), isBulk: true });
        await recordCreatedLinks(em, actor, results, clock());
        const outcomes = mergeRows(rows, results).map(toOutcome);
        await idempotent?.made(em, outcomes.map(toNote));
        return outcomes;
      };
      const made = await transact(request, create);
      const verdicts = await listening.awaitVerdicts(verdictsOf(made));
      return reply.code(201).send({ results: await present(made, 201, verdicts) });
    },
  });

  app.patch('/short-link/bulk', {
    bodyLimit: bodyLimits.large,
    config: { access: { resource: 'shortLinks', action: 'update' }, keepsReach: true },
    schema: {
      operationId: 'updateShortLinks',
      summary: 'Update up to 100 short links',
      description: 'Each by a change of its own (links), or all by one change (ids and change).',
      querystring: bulkQuerySchema,
      body: bulkPatchSchema,
      response: { 200: bulkLinksSchema, ...errorResponses(400) },
    },
    handler: async (request) => {
      const { links = [], ids = [], change } = request.body;
      const rows = await (change === undefined
        ? checkRows(bulkPatchRowSchema, links)
        : checkRows(withId(change), ids, 'id'));
      const patches = rightRows(rows);
      const passwordHashes = await hashPasswords(request.actor, patches, change);
      const requests = patches.map(({ id, ...patch }, index) => ({ id, patch, passwordHash: passwordHashes[index]! }));
      const targets = requests.map(({ patch }) => patch);
      using listening = await answers.listen(request.actor, targets, listenOptions(request));
      const { localAnswers } = listening;
      const update = async (em: EntityManager) => {
        const options = { site, now: clock(), isBulk: true, localAnswers };
        const results = await updateLinks(em, request.actor, requests, options);
        return mergeRows(rows, results).map(toOutcome);
      };
      const changed = await transact(request, update);
      const verdicts = await listening.awaitVerdicts(verdictsOf(changed));
      return { results: await present(changed, 200, verdicts) };
    },
  });

  app.delete('/short-link/bulk', {
    bodyLimit: bodyLimits.large,
    config: { access: { resource: 'shortLinks', action: 'delete' }, keepsReach: true },
    schema: {
      operationId: 'deleteShortLinks',
      summary: 'Delete up to 100 short links',
      body: bulkDeleteSchema,
      response: { 200: bulkDeletedSchema, ...errorResponses(400) },
    },
    handler: async (request) => {
      const { actor, em } = request;
      const rows = await checkRows(idSchema, request.body.ids, 'id');
      const remove = (em: EntityManager) => deleteLinks(em, actor, rightRows(rows), { now: clock() });
      const results = await shares.bulkWrites(actor.organizationId, () => em.transactional(remove));
      return {
        results: mergeRows(rows, results).map((result): BulkRow<{ rowCount: number }> =>
          result instanceof AppError ? failedRow(result) : { status: 200, data: { rowCount: 1 } },
        ),
      };
    },
  });
};

/** One row of a bulk answer; `status` is what the row alone would have been answered. */
type BulkRow<T> =
  | { status: number; data: T }
  | { status: number; error: ErrorDetails & { code: ErrorCode; message: string } };

function failedRow({ status, code, message, details }: AppError): BulkRow<never> {
  return { status, error: { code, message, ...details } };
}

/** The rows of one change of many links: their ids. */
const withId = (change: LinkPatch) => idSchema.transform((id) => ({ ...change, id }));

// A row with a hundred rules takes a millisecond.
const rowsAtOnce = 2;

/** Validates rows one by one, yielding to other calls. @param name of rows that are no objects. @returns each row's value or error. */
async function checkRows<S extends z.ZodType>(
  schema: S,
  rows: readonly unknown[],
  name?: string,
): Promise<(z.output<S> | AppError)[]> {
  const checked: (z.output<S> | AppError)[] = [];
  for await (const row of inSlices(rows, rowsAtOnce)) {
    const result = schema.safeParse(row);
    checked.push(result.success ? result.data : invalidBy(nameRow(result.error.issues, name)));
  }
  return checked;
}

const nameRow = (issues: z.core.$ZodIssue[], name: string | undefined): z.core.$ZodIssue[] =>
  name === undefined ? issues : issues.map((issue) => ({ ...issue, path: [name, ...issue.path] }));

function rightRows<Row>(rows: readonly (Row | AppError)[]): Row[] {
  return rows.filter((row): row is Row => !(row instanceof AppError));
}

/** Puts the command's results back in place: invalid rows keep their error, valid rows get the results in order. */
function mergeRows<Result>(rows: readonly unknown[], results: readonly Result[]): (AppError | Result)[] {
  const rest = results[Symbol.iterator]();
  return rows.map((row) => (row instanceof AppError ? row : rest.next().value!));
}
