import { parseArgs } from 'node:util';
import { ApiError, createWaymark, NotFoundError, UnauthorizedError } from '@waymark/sdk';
import { commands } from './commands/commands.js';
import { UsageError } from './errors.js';
import { common, optionsOf } from './options.js';
import { createOutput } from './output.js';
import { isApiAddress, readProfile } from './profiles.js';

/**
 * What a command has of its process.
 * @typedef {object} Io
 * @property {import('node:stream').Readable & { isTTY?: boolean }} stdin
 * @property {import('node:stream').Writable & { isTTY?: boolean, columns?: number }} stdout
 * @property {import('node:stream').Writable} stderr
 * @property {NodeJS.ProcessEnv} env
 * @property {AbortSignal} signal ends what waits or repeats
 */

const version = '0.1.0';
// As many links as one call deletes.
const mostAtOnce = 100;

/**
 * Runs a command line.
 * @param {readonly string[]} args without program and script
 * @param {Io} process
 * @returns {Promise<number>} 0: done; 1: the call failed; 2: the command is not written so; 3: not found; 4: the key is missing or wrong;
 * 130: ended by Ctrl-C
 */
export async function run(args, process) {
  // A variable that is empty is one that is not set.
  const env = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''));
  const io = { ...process, env };
  try {
    if (args[0] === '--version' || args[0] === '-v') return say(io, version);
    const words = args[0] === 'help' ? [...args.slice(1), '--help'] : args;
    const found = findCommand(words);
    if (found === undefined) return overview(words, io);
    const { command, rest } = found;
    const { values, positionals } = parse(command, rest);
    if (values.help) return say(io, helpOf(command));
    if (!mayTake(command, positionals.length)) throw new UsageError(`Write it so: ${usageOf(command)}`);
    const output = createOutput(io, values.json === true);
    const client = command.isWithoutKey ? undefined : connect(values, io);
    return (await command.run({ client, values, positionals, output, io })) ?? 0;
  } catch (error) {
    return explain(error, io);
  }
}

/** Finds the command of the first words; options may stand before them. */
function findCommand(args) {
  let start = 0;
  while (args[start]?.startsWith('-')) start += takesValue(args[start]) ? 2 : 1;
  for (const count of [2, 1]) {
    const command = commands.find(({ name }) => name === args.slice(start, start + count).join(' '));
    if (command) return { command, rest: [...args.slice(0, start), ...args.slice(start + count)] };
  }
  return undefined;
}

const takesValue = (option) => common[option.slice(2)]?.type === 'string';

function parse(command, args) {
  try {
    const options = optionsOf(command);
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(
      `${error.message.split('. ')[0].replace(/\.$/, '')}. \`waymark ${command.name} --help\` shows what it takes.`,
    );
  }
}

/** The client of the profile. Options stand above the environment, and that above the stored profile that is not named. */
function connect(values, io) {
  const stored = readProfile(io.env, values.profile);
  // The key of the environment may be of another installation than the profile that the command names.
  const env = values.profile === undefined ? io.env : {};
  const host = values.host ?? env.WAYMARK_URL ?? stored?.host;
  const key = env.WAYMARK_API_KEY ?? stored?.key;
  if (host === undefined || key === undefined)
    throw new UsageError('You are not signed in: run `waymark login`, or set WAYMARK_URL and WAYMARK_API_KEY.', 4);
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new UsageError('The API key has characters that no key has: see WAYMARK_API_KEY and your profile.', 4);
  if (!isApiAddress(host))
    throw new UsageError(
      `${host} is no address like https://links.example.com: see WAYMARK_URL, --host and your profile.`,
    );
  if (env.WAYMARK_API_KEY === undefined && host.replace(/\/+$/, '') !== stored.host)
    throw new UsageError(
      `The key of the profile is for ${stored.host} and is not sent to ${host}: run \`waymark login --host ${host} --profile NAME\`, or set WAYMARK_API_KEY.`,
      4,
    );
  const headers = { 'user-agent': `waymark-cli/${version}` };
  return createWaymark({ baseUrl: host, apiKey: key, headers, signal: io.signal });
}

function explain(error, io) {
  // At a question the terminal hands Ctrl-C to readline, and sends no signal.
  if (io.signal.aborted || error.message === 'Aborted with Ctrl+C') return 130;
  if (error instanceof UsageError) {
    io.stderr.write(`${error.message}\n`);
    return error.exitCode;
  }
  if (error instanceof ApiError) {
    // The message of a single one is that of the error.
    const told = error.issues.length > 1 ? error.issues : [];
    const issues = told.map(({ path, message }) => `  ${path}: ${message}`);
    const id = error.requestId === undefined ? [] : [`  (request ${error.requestId})`];
    io.stderr.write(`${[error.message, ...issues, ...id].join('\n')}\n`);
    if (error instanceof UnauthorizedError) io.stderr.write('Run `waymark login` with a key that is valid.\n');
    if (error.code === 'ACTION_NOT_ALLOWED')
      io.stderr.write('Give the key this permission in the console, Settings, API keys, or use another key.\n');
    return error instanceof NotFoundError ? 3 : error instanceof UnauthorizedError ? 4 : 1;
  }
  io.stderr.write(`${error.message}\n`);
  return 1;
}

function overview(args, io) {
  const isAsked = args.length === 0 || args.includes('--help') || args.includes('-h');
  const noun = args.find((word) => !word.startsWith('-'));
  const listed = commands.filter(({ name }) => (isAsked && noun === undefined) || name.split(' ')[0] === noun);
  if (listed.length === 0) {
    io.stderr.write(`There is no command \`${noun ?? args[0]}\`; \`waymark --help\` lists them.\n`);
    return 2;
  }
  const lines = listed.map((command) => `  ${command.name.padEnd(16)} ${command.summary}`);
  const text = [
    'Usage: waymark COMMAND',
    '',
    ...lines,
    '',
    '`waymark COMMAND --help` shows what a command takes.',
  ].join('\n');
  if (isAsked) return say(io, text);
  io.stderr.write(`${text}\n`);
  return 2;
}

const usageOf = ({ name, takes }) => `waymark ${name}${takes === undefined ? '' : ` ${takes}`}`;

/** Whether a command may be followed by so many words. */
function mayTake({ takes }, count) {
  if (takes === undefined) return count === 0;
  const least = takes.startsWith('[') ? 0 : 1;
  const most = takes.endsWith('…') ? mostAtOnce : 1;
  return count >= least && count <= most;
}

function helpOf(command) {
  const rows = Object.entries(optionsOf(command)).map(([name, { type, short, help, multiple }]) => [
    `${short === undefined ? '' : `-${short}, `}--${name}${type === 'string' ? ' VALUE' : ''}`,
    `${help}${multiple === true ? ' May be repeated.' : ''}`,
  ]);
  const width = Math.max(...rows.map(([left]) => left.length));
  const lines = rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
  return [`${command.summary}`, '', `Usage: ${usageOf(command)} [options]`, '', ...lines].join('\n');
}

function say(io, text) {
  io.stdout.write(`${text}\n`);
  return 0;
}
