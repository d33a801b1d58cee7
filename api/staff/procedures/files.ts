import { z } from 'zod';
import { restoreFile, takeFileDown } from '#commands/files/files.ts';
import { createFileUrl } from '#core/files/url.ts';
import { idSchema } from '#core/links/draft.ts';
import { listAllFiles } from '#db/organizations/staff-lists.ts';
import type { ApiDependencies } from '#api/dependencies.ts';
import { presentFile } from '#api/files/schema.ts';
import { changing, reading, router } from '#api/staff/context.ts';
import { idInput, listInput, readPage, reasonSchema } from '#api/staff/inputs.ts';

export const fileTools = ({ baseUrl }: Pick<ApiDependencies, 'baseUrl'>) => {
  const fileUrl = createFileUrl(baseUrl);
  return router({
    /** `search` finds names, and the random part of public addresses. */
    list: reading.input(listInput).query(({ ctx, input }) =>
      readPage(input, (query) => listAllFiles(ctx.em, query), {
        present: (file) => presentFile(file, fileUrl),
        cursorOf: ({ id }) => id,
      }),
    ),

    /** The file's address answers 404 within a second, and previews show it no more. Its organization sees the reason. */
    takeDown: changing
      .input(z.strictObject({ id: idSchema, reason: reasonSchema }))
      .mutation(({ ctx, input: { id, reason } }) =>
        ctx.change(async (em, { now }) => {
          const file = await takeFileDown(em, id, reason, now);
          const { organization, name } = file;
          const answer = presentFile(file, fileUrl);
          return { answer, organizationId: organization.id, subjectId: id, details: { name, reason } };
        }),
      ),

    /** Ends a take-down. */
    restore: changing.input(idInput).mutation(({ ctx, input: { id } }) =>
      ctx.change(async (em) => {
        const file = await restoreFile(em, id);
        const { organization, name } = file;
        const answer = presentFile(file, fileUrl);
        return { answer, organizationId: organization.id, subjectId: id, details: { name } };
      }),
    ),
  });
};
