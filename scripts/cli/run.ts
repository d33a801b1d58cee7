import { parseArgs } from 'node:util';
import { ConfigError } from '#config/load.ts';
import { AppError } from '#core/errors/errors.ts';
import { waymarkVersion } from '#scripts/lib/paths.ts';
import { type Command, helpOf, UsageError, usageOf } from './command.ts';
import { createContext } from './context.ts';
import { copyClicksCommand, moveClicksCommand } from './commands/clicks.ts';
import { listImportsCommand, stopImportCommand } from './commands/import.ts';
import { erasePersonCommand, exportPersonCommand } from './commands/people/person.ts';
import { createKeyCommand } from './commands/people/key.ts';
import { addMemberCommand } from './commands/people/member.ts';
import { migrateCommand } from './commands/migrate.ts';
import { createOrganizationCommand, exportOrganizationCommand } from './commands/people/organization.ts';
import { listOutboxCommand, retryOutboxCommand } from './commands/outbox.ts';
import { edgeSecretCommand, resealCommand } from './commands/secrets.ts';
import { addStaffCommand, removeStaffCommand } from './commands/staff.ts';
import { rescanThreatsCommand } from './commands/threats.ts';
import { removeSecondFactorCommand, setPasswordCommand, verifyEmailCommand } from './commands/people/user.ts';
import { recoverWebhookCommand } from './commands/webhooks.ts';
import { verifyAuditCommand } from './commands/audit.ts';
import { table } from './output.ts';

/** Streams and environment of a run. */
type CliSurroundings = Pick<NodeJS.Process, 'env'> &
  Record<'stdout' | 'stderr', NodeJS.WritableStream> & { stdin: NodeJS.ReadableStream };

/** All commands, in the order of the help. */
export const commands: readonly Command[] = [
  createOrganizationCommand,
  addMemberCommand,
  createKeyCommand,
  setPasswordCommand,
  verifyEmailCommand,
  removeSecondFactorCommand,
  addStaffCommand,
  removeStaffCommand,
  exportPersonCommand,
  erasePersonCommand,
  exportOrganizationCommand,
  migrateCommand,
  edgeSecretCommand,
  resealCommand,
  verifyAuditCommand,
  copyClicksCommand,
  moveClicksCommand,
  rescanThreatsCommand,
  recoverWebhookCommand,
  listImportsCommand,
  stopImportCommand,
  listOutboxCommand,
  retryOutboxCommand,
];

const generalUsage = 'Usage: npm run -s waymark -- <command> [options]';

/** Runs one command. @returns the exit code: 0, 1 for a failure, 2 for invalid arguments. */
export async function runCli(
  given: readonly string[],
  { env, stdin, stdout, stderr }: CliSurroundings,
): Promise<number> {
  const out = (text: string): void => void stdout.write(text);
  const err = (text: string): void => void stderr.write(text);
  // Options may stand before the command too: `--json migrate`.
  const first = Math.max(
    given.findIndex((arg) => !arg.startsWith('-')),
    0,
  );
  const args = [...given.slice(first), ...given.slice(0, first)];
  const command = findCommand(args);
  if (command === undefined) {
    if (args[0] === '--version') {
      out(`${waymarkVersion()}\n`);
      return 0;
    }
    if (args.includes('--help') || args.includes('-h') || args[0] === 'help') {
      out(generalHelp());
      return 0;
    }
    const name = args.filter((arg) => !arg.startsWith('-')).join(' ');
    err(`${name === '' ? 'No command is given.' : `There is no command ${name}.`}\n${generalHelp()}`);
    return 2;
  }
  try {
    const { json, help, ...values } = parse(command, args.slice(command.name.split(' ').length));
    if (help === true) {
      out(helpOf(command));
      return 0;
    }
    const outcome = await command.run(values, createContext(env, { stdin, stdout, err, wantsJson: json === true }));
    if (json === true && outcome.json !== undefined) out(`${JSON.stringify(outcome.json)}\n`);
    else if (json !== true && outcome.text !== '') out(`${outcome.text}\n`);
    return outcome.hasFailed === true ? 1 : 0;
  } catch (error) {
    const isUsage = error instanceof UsageError || (error instanceof AppError && error.code === 'VALIDATION_ERROR');
    err(`${describe(error as Error, command)}\n${isUsage ? `${usageOf(command)}\n` : ''}`);
    return isUsage ? 2 : 1;
  }
}

function findCommand(args: readonly string[]): Command | undefined {
  // `webhook list` means `webhooks list`.
  const singular = (word: string | undefined): string | undefined => word?.replace(/s$/, '');
  return commands.find(({ name }) => {
    const [first, ...others] = name.split(' ');
    return singular(first) === singular(args[0]) && others.every((word, index) => args[index + 1] === word);
  });
}

function parse(command: Command, args: string[]): Record<string, string | boolean | undefined> {
  const options = Object.entries(command.options).map(([name, { value }]) => {
    const type = value === undefined ? ('boolean' as const) : ('string' as const);
    return [name, { type }] as const;
  });
  const values = parseValues(args, Object.fromEntries(options));
  if (values.help === true) return values;
  const missing = Object.entries(command.options).filter(
    ([name, { required }]) => required === true && values[name] === undefined,
  );
  if (missing.length > 0) throw new UsageError(`${missing.map(([name]) => `--${name}`).join(', ')}: missing`);
  return values;
}

function parseValues(
  args: string[],
  options: Record<string, { type: 'boolean' | 'string' }>,
): Record<string, string | boolean | undefined> {
  try {
    const general = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;
    const { values } = parseArgs({ args, options: { ...options, ...general } });
    return values;
  } catch (error) {
    // Node's second sentence is about positional arguments, which no command has.
    throw new UsageError(`${(error as Error).message.split('. ')[0]!.replace(/\.$/, '')}.`, { cause: error });
  }
}

function generalHelp(): string {
  const rows = commands.map(({ name, about }): [string, string] => [name, about]);
  return [
    generalUsage,
    '',
    "The operator's tool. It uses the database of DATABASE_URL; without that setting, the database of a running npm start.",
    '',
    table(rows),
    '',
    'Every command takes --json and --help. --version prints the version.',
    '',
  ].join('\n');
}

function describe(error: Error, { options }: Command): string {
  const [issue] = error instanceof AppError ? (error.details.issues ?? []) : [];
  if (issue !== undefined && Object.hasOwn(options, issue.path.split('.')[0]!))
    return `--${issue.path}: ${issue.message}`;
  if (error instanceof ConfigError || error.message !== '') return error.message;
  // Node's AggregateError of several refused addresses has a code but no message.
  return (error as NodeJS.ErrnoException).code ?? error.name;
}
