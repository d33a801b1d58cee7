import { revokeKey } from '#commands/organizations/api-keys.ts';
import { AppError } from '#core/errors/errors.ts';
import { ApiKey } from '#db/entities/accounts/people.ts';
import { listKeys } from '#db/organizations/staff-lists.ts';
import { presentApiKey } from '#api/api-key/schema.ts';
import { actAsOwner, changing, reading, router } from '#api/staff/context.ts';
import { idInput, listInput, readPage } from '#api/staff/inputs.ts';

/** API keys of all organizations, shown by their last four characters; only hashes of keys are stored. */
export const apiKeyTools = () =>
  router({
    list: reading
      .input(listInput)
      .query(({ ctx, input }) =>
        readPage(input, (query) => listKeys(ctx.em, query), { present: presentApiKey, cursorOf: ({ key }) => key.id }),
      ),

    /** Revokes a key for good. The next call with it fails. */
    revoke: changing.input(idInput).mutation(({ ctx, input: { id } }) =>
      ctx.change(async (em) => {
        const key = await em.findOne(ApiKey, { id });
        if (key === null) throw new AppError('NOT_FOUND', 'This API key does not exist.');
        const { type, name } = key;
        const organizationId = key.organization.id;
        await revokeKey(em, await actAsOwner(em, ctx.userId, organizationId), id);
        return { answer: { rowCount: 1 }, organizationId, subjectId: id, details: { type, name } };
      }),
    ),
  });
