import { z } from 'zod';
import { idSchema } from '#core/links/draft.ts';
import { momentSchema } from '#api/schemas.ts';

export const processQuerySchema = z.strictObject({
  subject: idSchema.describe('Id of a short link, domain, webhook or import, or of something that is being deleted.'),
});

const subjectSchema = z
  .strictObject({
    type: z.enum(['shortLink', 'domain', 'folder', 'webhook', 'import', 'organization', 'apiKey']),
    id: z.guid().describe('Id of the subject.'),
    name: z.string().nullable().describe('Of a short link its slug, of a webhook without a name its host.'),
  })
  .meta({ id: 'ProcessSubject', description: 'What a process works for.' });

const runningSchema = z
  .strictObject({
    kind: z
      .enum(['scan', 'cap', 'domainCheck', 'delivery', 'recovery', 'import', 'importUndo', 'deletion'])
      .describe(
        '`scan`: of the addresses of a link for threats; `cap`: clicks of a link that has a cap; `delivery`: of events to a webhook.',
      ),
    subject: subjectSchema,
    state: z
      .string()
      .describe(
        'Of a scan `waiting`, `clean` or `flagged`; of a domain as in its `dns`; of a webhook as in its outlook; of an import its state; else `running`.',
      ),
    done: z.int().min(0).nullable().describe('How much of `total` is done; null: it is not counted.'),
    total: z
      .int()
      .min(0)
      .nullable()
      .describe('Rows of an import, links, clicks of a cap, deliveries that wait, or seconds that a recovery covers.'),
    startedAt: momentSchema.nullable().describe('Since when, UTC; null: not known.'),
    workflowId: z
      .string()
      .nullable()
      .describe(
        'Its workflow in Temporal; null: it has none of its own. Of a scan the one that recorded the verdicts of a new link, for 30 days; other scans have the link in their search attribute `linkId`.',
      ),
  })
  .meta({ id: 'RunningProcess', description: 'What the service does for a subject.' });

const nextSchema = z
  .strictObject({
    kind: z
      .enum(['linkEnds', 'domainCheck', 'domainLost', 'deliveryAttempt', 'webhookProbe', 'secretEnds', 'keyEnds'])
      .describe(
        '`domainLost`: its verification, where the checks until then fail too; `secretEnds`: the secret before the last rotation of a webhook, or the value of an API key before one; `keyEnds`: an API key, at its expiresAt.',
      ),
    subject: subjectSchema,
    at: momentSchema.describe('When it is due.'),
    workflowId: z.string().nullable().describe('The workflow in Temporal that does it; null: it has none of its own.'),
  })
  .meta({ id: 'ComingStep', description: 'What the service will do for a subject.' });

export const processSchema = z
  .strictObject({
    subject: subjectSchema,
    now: z.array(runningSchema).describe('What runs for it.'),
    next: z.array(nextSchema).describe('What comes next, in the order of time.'),
  })
  .meta({ id: 'SubjectProcesses', description: 'What runs for a subject, and what comes next.' });

export const processListSchema = z
  .strictObject({
    running: z.array(runningSchema).describe('Imports, undos, deletions, recoveries, domains and webhooks in trouble.'),
    upcoming: z.array(nextSchema).describe('The next 30 days, in the order of time; at most 100 of each kind.'),
  })
  .meta({ id: 'ProcessList', description: 'What runs for an organization, and what comes next.' });

export type Running = z.output<typeof runningSchema>;
export type Coming = z.output<typeof nextSchema>;
export type Subject = z.output<typeof subjectSchema>;
