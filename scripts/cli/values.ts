import { z } from 'zod';
import { plans, type Plan } from '#core/organizations/plans.ts';
import { text } from '#core/lib/schemas.ts';
import { type CommandContext, type Option, UsageError } from './command.ts';

export const planSchema = z.enum(Object.keys(plans) as [Plan, ...Plan[]], {
  error: `must be ${Object.keys(plans).join(' or ')}`,
});

export const emailSchema = z.string().trim().pipe(z.email('must be an e-mail address'));

export const passwordSchema = text({ min: 8, max: 128 });

export const idSchema = z.guid('must be an id');

/** Options `--<name>` and `--<name>-stdin`, for a password by argument or by the first line of standard input. */
export function passwordOptions(name: string, about: string): Record<string, Option> {
  return {
    [name]: { value: 'PASSWORD', secret: true, about },
    [`${name}-stdin`]: {
      about: 'Read the password from the first line of standard input, so that no list of processes shows it.',
    },
  };
}

/** Reads the password of `passwordOptions`. @throws UsageError where both options are given. */
export async function readPassword(
  name: string,
  { given, fromStdin = false }: { given?: string; fromStdin?: boolean },
  context: CommandContext,
): Promise<string | undefined> {
  if (!fromStdin) return given;
  if (given !== undefined) throw new UsageError(`--${name} and --${name}-stdin: give one of them`);
  return context.readLine();
}

export const limitOption = { value: 'NUMBER', about: 'How many rows to show at most, 1 to 1000. Default: 50.' };

export const limitSchema = z.coerce
  .number('must be a number from 1 to 1000')
  .int('must be a whole number')
  .min(1, 'must be a number from 1 to 1000')
  .max(1_000, 'must be a number from 1 to 1000')
  .default(50);
