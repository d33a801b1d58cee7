import { z } from 'zod';
import { linkTransaction } from '#commands/links/create/create.ts';
import { restoreLink, takeLinkDown } from '#commands/links/take-down.ts';
import { updateLink } from '#commands/links/change/update.ts';
import { AppError } from '#core/errors/errors.ts';
import { idSchema } from '#core/links/draft.ts';
import type { Site } from '#core/links/site.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { releaseTakenDownNames } from '#db/links/slugs/taken-down-names.ts';
import { type LinkView, readLinks } from '#db/links/view.ts';
import { searchLinks } from '#db/organizations/staff-lists.ts';
import type { ApiDependencies } from '#api/dependencies.ts';
import { presentLinkItem } from '#api/short-link/presenter.ts';
import { actAsOwner, changing, reading, router } from '#api/staff/context.ts';
import { idInput, listShape, type Page, readPage, reasonSchema } from '#api/staff/inputs.ts';

// A position in the list: creation time in Unix milliseconds, a dot, the link's id.
const position = /^\d{1,15}\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const listInput = z
  .strictObject({ ...listShape, cursor: z.string().regex(position, 'is not that of a page').optional() })
  .prefault({});

export const linkTools = ({ db, site }: ApiDependencies) =>
  router({
    search: reading.input(listInput).query(async ({ ctx: { em }, input }): Promise<Page<StaffLink>> => {
      const { items: ids, nextCursor } = await readPage(input, (query) => searchLinks(em, query), {
        present: ({ id }) => id,
        cursorOf: ({ id, createdAt }) => `${createdAt.getTime()}.${id}`,
      });
      return { items: (await readLinks(db, ids)).map((view) => present(view, site)), nextCursor };
    }),

    /** Turns a link off or on. Edges follow within a second. */
    setActive: changing
      .input(z.strictObject({ id: idSchema, isActive: z.boolean() }))
      .mutation(({ ctx, input: { id, isActive } }) =>
        ctx.change(async (em, { now }) => {
          const { organizationId } = await readLink(em, id);
          const actor = await actAsOwner(em, ctx.userId, organizationId);
          await updateLink(em, actor, { id, patch: { isActive } }, { site, now });
          const [changed] = await readLinks(em, [id]);
          const answer = present(changed!, site);
          return { answer, organizationId, subjectId: id, details: { name: answer.originUrl, isActive } };
        }, linkTransaction),
      ),

    /** Turns a link off for good: its organization sees the reason, and cannot turn it on. */
    takeDown: changing
      .input(z.strictObject({ id: idSchema, reason: reasonSchema }))
      .mutation(({ ctx, input: { id, reason } }) =>
        ctx.change(async (em, { now }) => {
          const { organizationId } = await readLink(em, id);
          const actor = await actAsOwner(em, ctx.userId, organizationId);
          const link = await takeLinkDown(em, actor, { id, reason }, { site, now });
          const answer = present(link, site);
          return { answer, organizationId, subjectId: id, details: { name: answer.originUrl, reason } };
        }, linkTransaction),
      ),

    /** Ends a take-down: the link is on again where it was on before. Of a link that was deleted it frees the name, and answers null. */
    restore: changing.input(idInput).mutation(({ ctx, input: { id } }) =>
      ctx.change<StaffLink | null>(async (em, { now }) => {
        const [live] = await readLinks(em, [id]);
        const freedOf = live === undefined ? await releaseTakenDownNames(em, id) : undefined;
        if (freedOf !== undefined) return { answer: null, organizationId: freedOf, subjectId: id };
        const { organizationId } = await readLink(em, id);
        const actor = await actAsOwner(em, ctx.userId, organizationId);
        const link = await restoreLink(em, actor, id, { site, now });
        const answer = present(link, site);
        return { answer, organizationId, subjectId: id, details: { name: answer.originUrl } };
      }, linkTransaction),
    ),
  });

/** @throws AppError NOT_FOUND. */
async function readLink(em: EntityManager, id: string): Promise<LinkView> {
  const [link] = await readLinks(em, [id]);
  if (link === undefined) throw new AppError('NOT_FOUND', 'This short link does not exist.');
  return link;
}

type StaffLink = ReturnType<typeof present>;

function present(link: LinkView, site: Site) {
  const { organizationId, slug, title } = link;
  return { ...presentLinkItem(link, site, { withQrCode: false }), organizationId, slug, title };
}
