import { z } from 'zod';
import { erasePerson } from '#commands/accounts/person-erasure.ts';
import { normalizeEmail } from '#commands/accounts/people.ts';
import { AppError } from '#core/errors/errors.ts';
import { beginSnapshot } from '#db/connection/lists/cursor.ts';
import { personSections, readPerson, readSection } from '#db/accounts/person-data.ts';
import { defineCommand } from '#scripts/cli/command.ts';
import { emailSchema } from '#scripts/cli/values.ts';
import { counted, writerTo } from '#scripts/cli/output.ts';

// Secret, so that the audit log holds the id alone and an erasure leaves no e-mail address behind.
const emailOption = { value: 'EMAIL', required: true, secret: true, about: 'The person.' };

export const exportPersonCommand = defineCommand({
  name: 'person export',
  about: 'Write all data that the installation holds about a person, as JSON.',
  isAudited: true,
  options: { email: emailOption },
  schema: z.strictObject({ email: emailSchema }),
  run: ({ email }, context) =>
    context.withEntities((em) =>
      em.transactional(
        async (em) => {
          await beginSnapshot(em);
          const person = await readPerson(em, normalizeEmail(email));
          if (person === undefined) throw new AppError('NOT_FOUND', `There is no user ${normalizeEmail(email)}.`);
          const write = writerTo(context.stdout);
          await write(`{"exportedAt":${JSON.stringify(new Date())},\n"person":${JSON.stringify(person)}`);
          for (const section of personSections) {
            await write(`,\n"${section}":[`);
            let separator = '\n';
            for await (const data of readSection(em, section, person)) {
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

export const erasePersonCommand = defineCommand({
  name: 'person erase',
  about:
    'Erase a person: account, sessions, keys, memberships, and the e-mail in the audit log. This cannot be undone.',
  isAudited: true,
  options: { email: emailOption },
  schema: z.strictObject({ email: emailSchema }),
  run: ({ email }, context) =>
    context.withEntities(async (em) => {
      const erased = await em.transactional((em) => erasePerson(em, email, new Date()), {
        statementTimeoutMs: 0,
      });
      const { userId, memberships, sessions, apiKeys, auditLines } = erased;
      const lines = `${counted(auditLines, 'line')} of the audit log`;
      const counts = [counted(memberships, 'membership'), counted(sessions, 'session'), counted(apiKeys, 'key'), lines];
      const text =
        userId === null
          ? `There is no account of this person; changed: ${lines}.`
          : `The person is erased: ${counts.join(', ')}.`;
      return { json: erased, text, ...(userId === null ? {} : { subject: { id: userId } }) };
    }),
});
