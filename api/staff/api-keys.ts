import { revokeKey } from '#commands/organizations/api-keys.ts';
import { AppError } from '#core/errors/errors.ts';
import { readApiKey } from '#db/organizations/api-keys.ts';
import { listKeys } from '#db/organizations/staff-lists.ts';
import { presentApiKey } from '#api/api-key/schema.ts';
import type { ApiDependencies } from '#api/dependencies.ts';
import { actFor, changing, reading, router } from './context.ts';
import { idInput, listInput, readPage } from './inputs.ts';

/** API keys of all organizations, shown by their last four characters; only hashes of keys are stored. */
export const apiKeyTools = ({ db }: ApiDependencies) =>
  router({
    list: reading
      .input(listInput)
      .query(({ input }) =>
        readPage(input, (query) => listKeys(db, query), { present: presentApiKey, cursorOf: ({ id }) => id }),
      ),

    /** Revokes a key for good. The next call with it fails. */
    revoke: changing.input(idInput).mutation(({ ctx, input: { id } }) =>
      ctx.change(async (tx) => {
        const key = await readApiKey(tx, id);
        if (key === undefined) throw new AppError('NOT_FOUND', 'This API key does not exist.');
        const { organizationId, type, name } = key;
        await revokeKey(tx, await actFor(tx, ctx.userId, organizationId), id);
        return { answer: { rowCount: 1 }, organizationId, subjectId: id, details: { type, name } };
      }),
    ),
  });
