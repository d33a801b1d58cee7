import { createInterface } from 'node:readline/promises';
import { UsageError } from '../errors.js';
import { findFolder, findLink } from '../references.js';

const text = (help) => ({ type: 'string', help });
const flag = (help) => ({ type: 'boolean', help });
const settings = {
  slug: text('The end of the short address. Without: one is made up.'),
  title: text('A title for people who work with the link.'),
  folder: text('Name of a folder.'),
  tag: { type: 'string', multiple: true, help: 'A tag.' },
  expires: text('When it ends, like 2027-01-31 or 2027-01-31T18:00:00Z.'),
  'max-clicks': text('How many clicks it takes.'),
  password: text('What visitors must type.'),
};

/** What a change takes away, by the option that sets it. */
const removable = {
  expires: 'expiresAt',
  'max-clicks': 'maxClicks',
  password: 'password',
  tag: 'tags',
  title: 'title',
};
const removals = Object.fromEntries(
  Object.keys(removable).map((name) => [`no-${name}`, flag(name === 'tag' ? 'Without tags.' : `Without --${name}.`)]),
);

async function bodyOf(client, values) {
  const body = {};
  if (values.slug !== undefined) body.slug = values.slug;
  if (values.title !== undefined) body.title = values.title;
  if (values.folder !== undefined) body.folderId = (await findFolder(client, values.folder)).id;
  if (values.tag !== undefined) body.tags = values.tag;
  if (values.expires !== undefined) body.expiresAt = moment(values.expires);
  if (values['max-clicks'] !== undefined) body.maxClicks = count(values['max-clicks'], '--max-clicks');
  if (values.password !== undefined) body.password = values.password;
  return body;
}

const iso = /^(\d{4}-\d\d-\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/i;

function moment(value) {
  const [, day] = iso.exec(value) ?? [];
  const date = new Date(day === undefined ? NaN : value);
  // Of February 30 the language makes March 2.
  if (Number.isNaN(date.getTime()) || !new Date(day).toISOString().startsWith(day))
    throw new UsageError(`${value} is no date like 2027-01-31 or 2027-01-31T18:00:00Z`);
  return date.toISOString();
}

function count(value, name) {
  if (!/^\d{1,9}$/.test(value)) throw new UsageError(`${name} is a whole number, not ${value}`);
  return Number(value);
}

/** An option that sets something, and one that takes it away, are not both given. */
function refuseBoth(values, one, other) {
  if (values[one] !== undefined && values[other] !== undefined)
    throw new UsageError(`--${one} and --${other} exclude each other.`);
}

/** A web address, which a person types without its scheme; mailto: and tel: as agents write them. A word without a dot is left to be refused. */
function destinationOf(value) {
  const [, scheme, rest] = /^(mailto|tel):(.*)$/i.exec(value) ?? [];
  if (scheme !== undefined) return { type: scheme.toLowerCase() === 'tel' ? 'phone' : 'mail', value: rest };
  return { type: 'link', value: /^[^\s:/?#]+\.[^\s:/?#]/.test(value) ? `https://${value}` : value };
}

function show(output, link) {
  output.fields(link, {
    address: link.originUrl,
    destination: link.destination.value,
    title: link.title,
    clicks: link.maxClicks === null ? link.currentClicks : `${link.currentClicks} of ${link.maxClicks}`,
    folder: link.folder.name,
    tags: link.tags.map(({ name }) => name).join(', '),
    state: link.isArchived ? 'archived' : link.isActive ? 'active' : 'inactive',
    expires: link.expiresAt,
    password: link.hasPassword ? 'yes' : null,
    created: link.createdAt,
    id: link.id,
  });
}

export const linkCommands = [
  {
    name: 'link create',
    summary: 'Shorten an address, also mailto: or tel:, and print the short one.',
    takes: 'ADDRESS',
    options: { ...settings, domain: text('Domain of the short address. Without: the organization’s primary one.') },
    async run({ client, values, positionals: [address], output }) {
      const body = { destination: destinationOf(address), ...(await bodyOf(client, values)) };
      if (values.domain !== undefined) body.domain = values.domain;
      const link = await client.links.create(body);
      output.result(link, link.originUrl);
      for (const { message } of link.warnings ?? []) output.warn(message);
    },
  },
  {
    name: 'link list',
    summary: 'List links, the newest first.',
    takes: '[SEARCH]',
    options: {
      tag: { type: 'string', multiple: true, help: 'Only links with this tag.' },
      domain: text('Only links of this domain.'),
      state: text('active, inactive, expired, capped or archived.'),
      limit: text('How many. Default: 20. `all`: every one.'),
    },
    async run({ client, values, positionals: [search], output }) {
      const most = values.limit === 'all' ? Infinity : count(values.limit ?? '20', '--limit');
      const query = {
        ...(search !== undefined && { search }),
        ...(values.tag !== undefined && { tagNames: values.tag }),
        ...(values.domain !== undefined && { domainNames: [values.domain] }),
        ...(values.state !== undefined && { states: [values.state] }),
        limit: Math.min(50, Math.max(1, most)),
        view: 'full',
      };
      const links = [];
      if (most > 0)
        for await (const link of client.links.list(query)) {
          links.push(link);
          if (links.length >= most) break;
        }
      output.list(links, {
        address: (link) => link.originUrl,
        clicks: (link) => link.currentClicks,
        destination: (link) => link.destination.value,
        title: (link) => link.title,
      });
    },
  },
  {
    name: 'link get',
    summary: 'Show a link.',
    takes: 'LINK',
    async run({ client, positionals: [name], output }) {
      show(output, await findLink(client, name));
    },
  },
  {
    name: 'link update',
    summary: 'Change a link.',
    takes: 'LINK',
    options: {
      to: text('A new destination.'),
      ...settings,
      slug: text('A new end of the short address.'),
      tag: { ...settings.tag, help: 'A tag; together they replace those that it has.' },
      ...removals,
      active: flag('Turn it on.'),
      inactive: flag('Turn it off.'),
    },
    async run({ client, values, positionals: [name], output }) {
      refuseBoth(values, 'active', 'inactive');
      for (const option of Object.keys(removable)) refuseBoth(values, option, `no-${option}`);
      const { id } = await findLink(client, name);
      const body = await bodyOf(client, values);
      for (const [option, field] of Object.entries(removable)) if (values[`no-${option}`]) body[field] = null;
      if (values.to !== undefined) body.destination = destinationOf(values.to);
      if (values.active || values.inactive) body.isActive = values.active === true;
      if (Object.keys(body).length === 0) throw new UsageError('Say what changes: `waymark link update --help`');
      show(output, await client.links.update(id, body));
    },
  },
  {
    name: 'link delete',
    summary: 'Delete links and their clicks.',
    takes: 'LINK…',
    options: { yes: { ...flag('Do not ask.'), short: 'y' } },
    async run({ client, values, positionals, output, io }) {
      const found = [];
      for (const name of positionals) found.push(await findLink(client, name));
      const links = [...new Map(found.map((link) => [link.id, link])).values()];
      if (values.yes !== true) await confirm(io, links);
      const { results } = await client.links.deleteMany({ ids: links.map(({ id }) => id) });
      const rows = results.map((result, at) => ({ id: links[at].id, address: links[at].originUrl, ...result }));
      if (output.isJson) output.line(JSON.stringify(rows, null, 2));
      else for (const { address, error } of rows) if (error === undefined) output.line(`Deleted: ${address}`);
      for (const { address, error } of rows) if (error !== undefined) output.warn(`${address}: ${error.message}`);
      return rows.some(({ error }) => error !== undefined) ? 1 : 0;
    },
  },
];

async function confirm(io, links) {
  if (io.stdin.isTTY !== true) throw new UsageError('Nobody can be asked here: say --yes to delete.');
  const lines = createInterface({ input: io.stdin, output: io.stderr });
  const clicks = links.reduce((sum, link) => sum + link.currentClicks, 0);
  const what = links.length === 1 ? links[0].originUrl : `${links.length} links`;
  const answer = await lines.question(`Delete ${what} with ${clicks} clicks? It cannot be undone. [y/N] `, {
    signal: io.signal,
  });
  lines.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError('Nothing was deleted.', 1);
}
