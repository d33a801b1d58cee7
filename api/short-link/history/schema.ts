import { z } from 'zod';
import { callerKinds } from '#core/links/change.ts';
import { idSchema } from '#core/links/draft.ts';
import type { LinkChangeView } from '#db/links/changes.ts';
import { cursorShape, optionalInteger } from '#api/query.ts';
import { callingClientSchema, idParamsSchema, momentSchema, nextCursorSchema } from '#api/schemas.ts';

const id = z.guid();

export const changeParamsSchema = idParamsSchema.extend({ changeId: idSchema.describe('Id of the change.') });

export const historyQuerySchema = z.strictObject({
  limit: optionalInteger(0, 50, 20),
  ...cursorShape,
});

const value = (when: string) =>
  z
    .unknown()
    .describe(
      `The value ${when} the change, as \`link.updated\` shows it: tags by name, of a password whether there is one.`,
    );

const linkChangeSchema = z
  .strictObject({
    id,
    at: momentSchema.describe('The updatedAt of the link after the change.'),
    by: z
      .strictObject({
        type: z.enum(callerKinds).describe('An API key, a signed-in member, or the staff of the installation.'),
        userId: id.nullable().describe('The member, or the user of the key; null for staff.'),
        keyId: id.nullable().describe('The API key; null without one.'),
        name: z.string().nullable().describe('Name of the key, or of the member; null for staff.'),
        client: callingClientSchema,
      })
      .describe('The caller of the change.'),
    changes: z
      .array(
        z
          .strictObject({
            field: z.string().describe('The field, by its name in `previous` of `link.updated`.'),
            before: value('before'),
            after: value('after'),
          })
          .meta({ id: 'FieldChange', description: 'A field of a short link before and after a change.' }),
      )
      .describe('The changed fields. A password that replaces another one has true before and after.'),
    undoes: id.nullable().describe('Id of the change that this one undid; null: it is no undo.'),
  })
  .meta({ id: 'LinkChange', description: 'A change of a short link.' });

export const historySchema = z
  .strictObject({
    data: z.array(linkChangeSchema).describe('The changes, newest first.'),
    nextCursor: nextCursorSchema,
  })
  .meta({ id: 'LinkHistoryPage', description: 'A page of the changes of a short link, newest first.' });

export function presentChange(change: LinkChangeView): z.output<typeof linkChangeSchema> {
  const { caller, callerId: userId, keyId, name, client, undoes } = change;
  return {
    id: change.id,
    at: change.at.toISOString(),
    by: { type: caller, userId, keyId, name, client },
    changes: Object.entries(change.fields).map(([field, { before, after }]) => ({ field, before, after })),
    undoes,
  };
}
