import { accountCommands } from './account.js';
import { completionCommand } from './completion.js';
import { domainCommands } from './domains.js';
import { fileCommands } from './files.js';
import { labelCommands } from './labels.js';
import { linkCommands } from './links.js';
import { logCommands } from './logs.js';
import { statsCommand } from './stats.js';
import { webhookCommands } from './webhooks.js';

/**
 * @typedef {object} Command
 * @property {string} name one or two words
 * @property {string} summary
 * @property {string} [takes] what stands behind its name: `LINK`, `[LINK]` where it may be left out, `LINK…` for up to a hundred
 * @property {Record<string, { type: 'string' | 'boolean', short?: string, multiple?: boolean, help: string }>} [options]
 * @property {boolean} [isWithoutKey]
 * @property {(call: object) => Promise<number | void>} run resolves with an exit code; by default 0
 */

/** All commands, in the order in which people need them. @type {readonly Command[]} */
export const commands = [
  ...accountCommands,
  ...linkCommands,
  statsCommand,
  ...fileCommands,
  ...domainCommands,
  ...labelCommands,
  ...webhookCommands,
  ...logCommands,
];
commands.push(completionCommand(commands));
