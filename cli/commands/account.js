import { createInterface } from 'node:readline/promises';
import { addAbortSignal, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createWaymark } from '@waymark/sdk';
import { UsageError } from '../errors.js';
import { isApiAddress, profilesFile, writeProfile } from '../profiles.js';

/** Asks on a terminal; what is typed for a secret is not shown. */
async function ask(io, question, isSecret = false) {
  io.stderr.write(question);
  const output = isSecret ? new Writable({ write: (_chunk, _encoding, done) => done() }) : io.stderr;
  const lines = createInterface({ input: io.stdin, output, terminal: isSecret ? true : undefined });
  try {
    return (await lines.question('', { signal: io.signal })).trim();
  } finally {
    lines.close();
    if (isSecret) io.stderr.write('\n');
  }
}

const describeKey = (organization) => `${organization.name} (${organization.plan})`;

export const accountCommands = [
  {
    name: 'login',
    summary: 'Store the address of an installation and a key of it.',
    isWithoutKey: true,
    async run({ values, output, io }) {
      const isAsked = io.stdin.isTTY === true;
      const host = values.host ?? io.env.WAYMARK_URL ?? (isAsked ? await ask(io, 'Address of the API: ') : undefined);
      if (host === undefined) throw new UsageError('Name the address of the API: `waymark login --host https://…`');
      if (!isApiAddress(host)) throw new UsageError(`${host} is no address like https://links.example.com`);
      const key = isAsked ? await ask(io, 'API key: ', true) : (await text(addAbortSignal(io.signal, io.stdin))).trim();
      if (key === '') throw new UsageError('No key was given: type it, or pipe it into `waymark login`.');
      const organization = await createWaymark({ baseUrl: host, apiKey: key, signal: io.signal }).organization.get();
      if (typeof organization.name !== 'string')
        throw new UsageError(`${host} is no Waymark: it names no organization.`, 1);
      const name = values.profile ?? io.env.WAYMARK_PROFILE ?? 'default';
      writeProfile(io.env, name, { host: host.replace(/\/+$/, ''), key });
      output.result({ profile: name, organization: organization.name }, `Signed in to ${describeKey(organization)}.`);
      output.note(`The key is in ${profilesFile(io.env)}.`);
    },
  },
  {
    name: 'logout',
    summary: 'Forget the key of a profile. It stays valid until it is revoked.',
    isWithoutKey: true,
    async run({ values, output, io }) {
      const name = values.profile ?? io.env.WAYMARK_PROFILE ?? 'default';
      writeProfile(io.env, name, undefined);
      output.note(`The profile ${name} is gone.`);
    },
  },
  {
    name: 'whoami',
    summary: 'Show the organization of the key.',
    async run({ client, output }) {
      const organization = await client.organization.get();
      output.fields(organization, { organization: organization.name, plan: organization.plan, id: organization.id });
    },
  },
];
