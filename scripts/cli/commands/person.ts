import { once } from 'node:events';
import { z } from 'zod';
import { erasePerson } from '#commands/organizations/person-erasure.ts';
import { normalizeEmail } from '#commands/organizations/people.ts';
import { AppError } from '#core/errors/errors.ts';
import type { Storage } from '#core/files/storage.ts';
import { beginExport, type ExportLine, readByCursor, readExport } from '#db/organizations/export.ts';
import { readOrganization } from '#db/organizations/organizations.ts';
import { findPerson, personSections, sectionStatement } from '#db/organizations/person-data.ts';
import { defineCommand } from '#scripts/cli/command.ts';
import { emailSchema, idSchema } from '#scripts/cli/values.ts';

// The audit log names the person by the id alone, so that an erasure leaves no e-mail behind.
const emailOption = { value: 'EMAIL', required: true, secret: true, about: 'The person.' };

/** Writes to a stream that may be slower than the database. */
function writerTo(stream: NodeJS.WritableStream): (text: string) => Promise<void> {
  return async (text) => {
    if (!stream.write(text)) await once(stream, 'drain');
  };
}

/** A file with its content, at most a megabyte; null where the storage has none. */
async function withContent({ type, data }: ExportLine, storage: Storage): Promise<ExportLine> {
  const bytes = await storage.get(String(data.key));
  return { type, data: { ...data, content: bytes?.toString('base64') ?? null } };
}

/** `person export` */
export const exportPersonCommand = defineCommand({
  name: 'person export',
  about: 'Write all that the installation holds of a person, as JSON.',
  isAudited: true,
  options: { email: emailOption },
  schema: z.strictObject({ email: emailSchema }),
  run: ({ email }, context) =>
    context.withDatabase((db) =>
      db.transaction(
        async (tx) => {
          await beginExport(tx);
          const person = await findPerson(tx, normalizeEmail(email));
          if (person === undefined) throw new AppError('NOT_FOUND', `There is no user ${normalizeEmail(email)}.`);
          const write = writerTo(context.stdout);
          await write(`{"exportedAt":${JSON.stringify(new Date())},\n"person":${JSON.stringify(person)}`);
          for (const section of personSections) {
            await write(`,\n"${section}":[`);
            let separator = '\n';
            for await (const data of readByCursor(tx, sectionStatement(section, person))) {
              await write(`${separator}${JSON.stringify(data)}`);
              separator = ',\n';
            }
            await write(']');
          }
          await write('}\n');
          return { json: undefined, text: '', subject: { id: person.id } };
        },
        { statementTimeoutMs: 0 },
      ),
    ),
});

/** `person erase` */
export const erasePersonCommand = defineCommand({
  name: 'person erase',
  about: 'Erase a person: account, sessions, keys, memberships, and the e-mail in the audit log. It cannot be undone.',
  isAudited: true,
  options: { email: emailOption },
  schema: z.strictObject({ email: emailSchema }),
  run: ({ email }, context) =>
    context.withDatabase(async (db) => {
      const erased = await db.transaction((tx) => erasePerson(tx, email, { now: new Date() }), {
        statementTimeoutMs: 0,
      });
      const { userId, memberships, sessions, apiKeys, auditLines } = erased;
      const counts = `${memberships} memberships, ${sessions} sessions, ${apiKeys} keys, ${auditLines} lines of the audit log`;
      const text =
        userId === null
          ? `There is no account of this person; changed: ${auditLines} lines of the audit log.`
          : `The person is erased: ${counts}.`;
      return { json: erased, text, ...(userId === null ? {} : { subject: { id: userId } }) };
    }),
});

/** `organization export` */
export const exportOrganizationCommand = defineCommand({
  name: 'organization export',
  about:
    'Write all that an organization has, without secrets, as lines of JSON; the last one says how many there were.',
  isAudited: true,
  options: { org: { value: 'ID', required: true, about: 'The organization.' } },
  schema: z.strictObject({ org: idSchema }),
  run: ({ org }, context) =>
    context.withDatabase(async (db) => {
      if ((await readOrganization(db, org)) === undefined) {
        throw new AppError('NOT_FOUND', `There is no organization ${org}.`);
      }
      const write = writerTo(context.stdout);
      const storage = context.openStorage();
      await db.transaction(
        async (tx) => {
          let lines = 0;
          for await (const line of readExport(tx, org)) {
            await write(`${JSON.stringify(line.type === 'file' ? await withContent(line, storage) : line)}\n`);
            lines += 1;
          }
          await write(`${JSON.stringify({ type: 'end', data: { lines } })}\n`);
        },
        { statementTimeoutMs: 0 },
      );
      return { json: undefined, text: '', subject: { organizationId: org, id: org } };
    }),
});
