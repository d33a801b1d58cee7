import { z } from 'zod';
import { idSchema } from '#core/links/draft.ts';
import { auditCallers, auditCategories, auditCategoryOf, clientDetail } from '#core/audit/audit.ts';
import type { AuditView } from '#db/audit/audit.ts';
import { csvQueryShape } from '#api/csv.ts';
import { cursorShape, inOrder, momentsShape, optionalInteger, textListSchema } from '#api/query.ts';
import { callingClientSchema, logPageSchema, momentSchema } from '#api/schemas.ts';

const id = z.guid();

const filterShape = {
  categories: textListSchema(z.enum(auditCategories)).describe('Several: the name repeated. Without: all.'),
  userId: idSchema.optional().describe('What this person did, and attempts to sign in to their account.'),
  keyId: idSchema.optional().describe('What this API key did.'),
  subject: idSchema.optional().describe('Id of the key, person, domain or webhook that was changed.'),
  ...momentsShape,
};

export const auditQuerySchema = inOrder(
  z.strictObject({
    ...filterShape,
    limit: optionalInteger(0, 50, 50),
    ...cursorShape,
  }),
  [['since', 'until']],
);

export const auditExportQuerySchema = inOrder(
  z.strictObject({
    ...filterShape,
    format: z
      .enum(['csv', 'json'])
      .default('csv')
      .describe('`csv` has a row for each line; `json` is an array of lines as the list shows them.'),
    ...csvQueryShape,
  }),
  [['since', 'until']],
);

export const auditLineSchema = z
  .strictObject({
    id,
    at: momentSchema.describe('When it happened, UTC; of a count the first time.'),
    lastAt: momentSchema.describe('Of a count the last time, else as `at`.'),
    count: z.int().min(1).describe('How often in that hour: attempts to sign in and reads by staff are counted.'),
    category: z.enum(auditCategories).describe('What it is about; `staff`: what staff and operators did.'),
    action: z
      .string()
      .describe('What happened: `apiKey.created`, `auth.loginFailed`, of staff the name of the tool.')
      .meta({ example: 'apiKey.created' }),
    subjectId: id
      .nullable()
      .describe('Id of the key, person, domain or webhook that was changed; it may be deleted by now.'),
    by: z
      .strictObject({
        type: z
          .enum(auditCallers)
          .describe('An API key, a member, the staff of the installation, its operator, or the service itself.'),
        userId: id.nullable().describe('The member, or the user of the key; of a sign-in the account. Null for staff.'),
        keyId: id.nullable().describe('The API key; null without one.'),
        name: z
          .string()
          .nullable()
          .describe('Present name of the key or of the member.')
          .meta({ example: 'Ada Lovelace' }),
        email: z.string().nullable().describe('Present e-mail of the member.').meta({ example: 'ada@example.com' }),
        client: callingClientSchema,
      })
      .describe('The caller.'),
    details: z
      .record(z.string(), z.unknown())
      .describe('Further facts, without secrets.')
      .meta({ example: { fields: ['name'] } }),
    position: z
      .int()
      .nullable()
      .describe(
        "Place in the organization's chain, from 1; null until it is sealed, for about ten minutes, counts for an hour.",
      ),
    hash: z
      .string()
      .nullable()
      .describe(
        'SHA-256 of the line and of the hash before it, in hexadecimal: a line that is changed or taken away later breaks the chain.',
      )
      .meta({ example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' }),
  })
  .meta({ id: 'AuditLine', description: 'Something that somebody did in an organization, or tried to do.' });

export const auditPageSchema = logPageSchema(auditLineSchema, 'AuditPage', 'A page of the audit log.');

export type AuditLine = z.output<typeof auditLineSchema>;

export const auditColumns = [
  'id',
  'at',
  'lastAt',
  'count',
  'category',
  'action',
  'subjectId',
  'by',
  'userId',
  'keyId',
  'name',
  'email',
  'details',
  'position',
  'hash',
  'client',
] as const;

export function presentAuditLine(view: AuditView): AuditLine {
  const { at, lastAt, caller, callerId, keyId, keyName, userName, email, details, ...rest } = view;
  const { [clientDetail]: client, ...told } = details;
  const isInside = caller === 'member' || caller === 'key';
  return {
    ...rest,
    at: at.toISOString(),
    lastAt: lastAt.toISOString(),
    category: auditCategoryOf(view),
    by: {
      type: caller,
      userId: isInside ? callerId : null,
      keyId,
      name: caller === 'key' ? keyName : userName,
      email: caller === 'member' ? email : null,
      client: typeof client === 'string' ? client : null,
    },
    details: withoutStaff(caller, told),
  };
}

/** What staff searched for is theirs, and so are options of commands. */
function withoutStaff(caller: AuditView['caller'], details: Record<string, unknown>): Record<string, unknown> {
  if (caller !== 'staff' && caller !== 'operator') return details;
  const { search: _search, options: _options, ...shown } = details;
  return shown;
}

export function toAuditRow({ by, details, ...line }: AuditLine): string[] {
  const fields: Record<(typeof auditColumns)[number], string | number | null> = {
    ...line,
    ...by,
    by: by.type,
    details: JSON.stringify(details),
  };
  return auditColumns.map((column) => String(fields[column] ?? ''));
}
