import { z } from 'zod';
import { idSchema } from '#core/links/draft.ts';
import {
  activityActions,
  activityCallers,
  activitySubjects,
  type ActivitySubject,
  subjectOf,
} from '#core/audit/activity.ts';
import type { ActivityView } from '#db/audit/activity-list.ts';
import { cursorShape, inOrder, momentsShape, optionalInteger, textListSchema } from '#api/query.ts';
import { callingClientSchema, logPageSchema, momentSchema } from '#api/schemas.ts';

const id = z.guid();
const subjectTypes = Object.keys(activitySubjects) as ActivitySubject[];

export const activityQuerySchema = inOrder(
  z.strictObject({
    subject: idSchema
      .optional()
      .describe('Id of a short link, domain, folder, tag, file, webhook, import or template.'),
    actions: textListSchema(z.enum(activityActions)).describe('Several: the name repeated. Without: all.'),
    userId: idSchema.optional().describe('Changes by this member, or by keys of this user.'),
    keyId: idSchema.optional().describe('Changes by this API key.'),
    ...momentsShape,
    limit: optionalInteger(0, 50, 50),
    ...cursorShape,
  }),
  [['since', 'until']],
);

const activitySchema = z
  .strictObject({
    id,
    at: momentSchema.describe('When it was changed, UTC.'),
    action: z.enum(activityActions).describe('The kind of the subject, and what happened.'),
    subject: z
      .strictObject({
        type: z.enum(subjectTypes),
        id: id.nullable().describe('Null: several at once. The subject may be deleted by now.'),
        name: z
          .string()
          .nullable()
          .describe('The name at that time: of a short link its slug, of a webhook without a name its host.'),
      })
      .describe('What was changed.'),
    count: z.int().min(1).describe('How many subjects one call has changed.'),
    by: z
      .strictObject({
        type: z
          .enum(activityCallers)
          .describe('An API key, a signed-in member, the staff of the installation, or the service itself.'),
        userId: id.nullable().describe('The member, or the user of the key.'),
        keyId: id.nullable().describe('The API key; null without one.'),
        name: z.string().nullable().describe('Present name of the key or of the member.'),
        client: callingClientSchema,
      })
      .describe('The caller of the change.'),
    details: z
      .record(z.string(), z.union([z.string(), z.number(), z.array(z.string())]))
      .nullable()
      .describe(
        'Further facts: `fields` that changed, those of them that were turned `on` and `off`, `threatTypes` found, counts of an import.',
      ),
  })
  .meta({ id: 'Activity', description: 'What was changed, by whom and when.' });

export const activityPageSchema = logPageSchema(activitySchema, 'ActivityPage', 'A page of what was changed.');

export function presentActivity(view: ActivityView): z.output<typeof activitySchema> {
  const { action, subjectId, name, count, caller, callerId: userId, keyId, client, callerName, details } = view;
  return {
    id: view.id,
    at: view.at.toISOString(),
    action,
    subject: { type: subjectOf(action), id: subjectId, name },
    count,
    by: { type: caller, userId, keyId, name: callerName, client },
    // The schema's lists are not read-only.
    details: details as z.output<typeof activitySchema>['details'],
  };
}
