import type { FastifyContextConfig } from 'fastify';
import { isForSignIn, isOfPeople } from '#api/plugins/caller/caller.ts';

interface Part {
  name: string;
  description: string;
  /** Beginnings of its paths; the longest one that fits a path tells its part. */
  paths: readonly string[];
}

/** The parts of the API in the order in which people look for them. */
const parts: readonly Part[] = [
  {
    name: 'Short links',
    description: 'Create, find, change and delete short links; bulk calls, imports and exports.',
    paths: ['/short-link'],
  },
  { name: 'Statistics', description: 'Clicks by group, over time, and one by one.', paths: ['/stats'] },
  {
    name: 'Domains',
    description: 'Domains of your own, and the DNS records that verify them.',
    paths: ['/domain'],
  },
  { name: 'Folders', description: 'Folders of links.', paths: ['/folder'] },
  { name: 'Tags', description: 'Tags of links.', paths: ['/tag'] },
  {
    name: 'UTM templates',
    description: 'Campaign values under a name, to fill links from.',
    paths: ['/utm-template'],
  },
  {
    name: 'Link previews',
    description: 'A look at a destination before a link leads there.',
    paths: ['/link-preview'],
  },
  { name: 'Files', description: 'Images of previews and logos of QR codes.', paths: ['/files'] },
  {
    name: 'Webhooks',
    description: 'Events sent to a URL of yours, and what became of each.',
    paths: ['/webhook', '/events'],
  },
  {
    name: 'Activity',
    description: 'What was changed, by whom and when; what runs, and what comes next.',
    paths: ['/activity', '/process'],
  },
  {
    name: 'Organization',
    description: 'Plan, quotas, usage and policies of your organization.',
    paths: ['/organization'],
  },
  { name: 'API keys', description: 'Keys and their permissions.', paths: ['/api-key'] },
  {
    name: 'Request log',
    description: 'Calls of the API by your organization, to see what a client sent and why it was refused.',
    paths: ['/request-log'],
  },
  { name: 'Sessions', description: 'Sign-in of people, for web applications.', paths: ['/auth'] },
  {
    name: 'Second factors',
    description: 'Authenticator apps, passkeys and recovery codes of people, and confirmations by them.',
    paths: ['/auth/second-factors', '/auth/confirm'],
  },
  {
    name: 'Health',
    description: 'Whether the service lives and can serve.',
    paths: ['/healthz', '/readyz', '/.well-known'],
  },
];

export const tagsInOrder = parts.map(({ name, description }) => ({ name, description }));

const partsByPath = parts
  .flatMap(({ name, paths }) => paths.map((path) => ({ name, path })))
  .toSorted((one, other) => other.path.length - one.path.length);

/** What a route's path and `access` say of it in the document: its part of the API, and whether it takes a key. */
export function describeRoute(
  url: string,
  { access }: FastifyContextConfig,
): { tags: string[]; security?: Record<string, string[]>[] } {
  const part = partsByPath.find(({ path }) => url.startsWith(path));
  if (part === undefined) throw new Error(`${url} belongs to no part of the API.`);
  const tags = [part.name];
  if (access === 'public' || isForSignIn(access)) return { tags, security: [] };
  return access !== undefined && isOfPeople(access) ? { tags, security: [{ session: [] }] } : { tags };
}
