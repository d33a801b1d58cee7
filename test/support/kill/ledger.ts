import { randomUUID } from 'node:crypto';
import type { EventType } from '#core/webhooks/events.ts';
import { writeMultipart } from '#test/support/upload.ts';
import { type Call, createClient, type Outcome } from './client.ts';
import type { KillStack } from './stack.ts';

/** A link that was answered 201, and the answers to its visits and changes. */
export interface KnownLink {
  id: string;
  slug: string;
  /** Where it leads. */
  url: string;
  /** Redirects that were received whole. */
  seen: number;
  /** Visits whose connection broke on the way: their click may count or not. */
  unsure: number;
  /** Changes that were answered. */
  updates: number;
  /** Types of events that the link has once, and never twice. */
  once: Set<EventType>;
}

export type LinkKind = 'plain' | 'flagged' | 'capped' | 'doomed' | 'expiring';

/** A create that was asked for under an Idempotency-Key; `link` once it was answered 201. */
export interface KnownCreate {
  key: string;
  url: string;
  kind: LinkKind;
  link?: KnownLink;
}

/** Requests and answers of the clients of one round. Calls are `true` when they were answered as they should be. */
export interface Ledger extends Disposable {
  readonly links: readonly KnownLink[];
  readonly creates: readonly KnownCreate[];
  /** Ids of imports that were answered. */
  readonly imports: readonly string[];
  /** Answers that no fault excuses, each with how often it came. */
  readonly odd: ReadonlyMap<string, number>;
  /** Links of a kind, the oldest first, that no call has used up. */
  open(kind: LinkKind): readonly KnownLink[];
  visit(link: KnownLink): Promise<boolean>;
  /** Creates a link to a unique URL; undefined when no server accepted the connection. */
  create(kind: LinkKind): Promise<KnownCreate | undefined>;
  /** Repeats a create with the same idempotency key and body. */
  createAgain(create: KnownCreate): Promise<void>;
  edit(link: KnownLink): Promise<boolean>;
  /** Deletes the oldest doomed link. */
  remove(): Promise<boolean>;
  importRows(): Promise<boolean>;
}

const maxClicks = 3;
const expiresAfterMs = 1_000;
const rowsPerImport = 20;
const kindEvents: Partial<Record<LinkKind, EventType>> = { flagged: 'link.flagged', expiring: 'link.expired' };
// A person's; bots do not count.
const userAgent =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36';

/** A ledger with its own clients. */
export function createLedger(
  stack: Pick<KillStack, 'apiUrl' | 'apiKey' | 'edgeUrl' | 'edgeHost' | 'flaggedHost'>,
  connections: number,
): Ledger {
  const edge = createClient(stack.edgeUrl, connections);
  const api = createClient(stack.apiUrl, connections);
  const links: KnownLink[] = [];
  const open = new Map<LinkKind, KnownLink[]>();
  const creates: KnownCreate[] = [];
  const imports: string[] = [];
  const odd = new Map<string, number>();
  const openOf = (kind: LinkKind): KnownLink[] => open.get(kind) ?? open.set(kind, []).get(kind)!;

  /** Calls the API. @param excused a status that is no fault. */
  async function call(wanted: number, sent: Call, excused?: number): Promise<Outcome> {
    const headers: Record<string, string> = { 'x-api-key': stack.apiKey };
    if (sent.body !== undefined) headers['content-type'] = 'application/json';
    Object.assign(headers, sent.headers);
    const outcome = await api.send({ ...sent, headers });
    if (outcome.kind !== 'answer' || outcome.status === wanted || outcome.status === excused) return outcome;
    if (outcome.status !== 503 || outcome.headers['retry-after'] === undefined) noteOdd(`API ${outcome.status}`);
    return outcome;
  }
  const noteOdd = (answer: string): void => void odd.set(answer, (odd.get(answer) ?? 0) + 1);
  const isAnswered = (outcome: Outcome, wanted: number): outcome is Outcome & { kind: 'answer' } =>
    outcome.kind === 'answer' && outcome.status === wanted;

  async function ask(create: KnownCreate, isFirst: boolean): Promise<Outcome> {
    const { key, url, kind } = create;
    const draft = {
      destination: { type: 'link', value: url },
      ...(kind === 'capped' && { maxClicks }),
      ...(kind === 'expiring' && { expiresAt: new Date(Date.now() + expiresAfterMs).toISOString() }),
    };
    const sent = {
      method: 'POST',
      path: '/short-link',
      headers: { 'idempotency-key': key },
      body: JSON.stringify(draft),
    };
    // A call that died still holds its idempotency key; the moment of an expiry may pass before a busy API reads it.
    const outcome = await call(201, sent, !isFirst ? 409 : kind === 'expiring' ? 400 : undefined);
    if (!isAnswered(outcome, 201)) return outcome;
    const { id, slug } = JSON.parse(outcome.body) as { id: string; slug: string };
    const own = kindEvents[kind];
    const once = new Set<EventType>(own === undefined ? ['link.created'] : ['link.created', own]);
    create.link = { id, slug, url, seen: 0, unsure: 0, updates: 0, once };
    links.push(create.link);
    openOf(kind).push(create.link);
    return outcome;
  }

  return {
    links,
    creates,
    imports,
    odd,
    open: openOf,
    async visit(link) {
      const headers = { host: stack.edgeHost, 'user-agent': userAgent };
      const outcome = await edge.send({ path: `/${link.slug}`, headers });
      if (outcome.kind === 'broken') link.unsure += 1;
      if (outcome.kind !== 'answer') return false;
      const { status } = outcome;
      const capped = openOf('capped');
      const isRight = status === 302 && outcome.headers.location === link.url;
      if (isRight) link.seen += 1;
      if (capped.includes(link)) {
        if (link.seen === maxClicks) link.once.add('link.capped');
        // 410: an edge that died had taken visits that it did not answer.
        if (link.seen === maxClicks || status === 410) capped.splice(capped.indexOf(link), 1);
        if (status === 410) return false;
      }
      if (isRight) return true;
      // The page that warns of a known threat: no click.
      if (status === 200 && new URL(link.url).hostname === stack.flaggedHost) return true;
      if (status !== 503 || outcome.headers['retry-after'] === undefined) noteOdd(`edge ${status}`);
      return false;
    },
    async create(kind) {
      const key = randomUUID();
      const host = kind === 'flagged' ? stack.flaggedHost : 'clean.example';
      const create: KnownCreate = { key, url: `https://${host}/${key}`, kind };
      creates.push(create);
      const outcome = await ask(create, true);
      // The moment of an expiry would have passed at a repeat.
      const isOver = outcome.kind === 'refused' || (kind === 'expiring' && create.link === undefined);
      if (isOver) creates.splice(creates.indexOf(create), 1);
      return isOver ? undefined : create;
    },
    createAgain: async (create) => void (await ask(create, false)),
    async edit(link) {
      const body = JSON.stringify({ title: `Title ${randomUUID()}` });
      const isDone = isAnswered(await call(200, { method: 'PATCH', path: `/short-link/${link.id}`, body }), 200);
      if (isDone) link.updates += 1;
      return isDone;
    },
    async remove() {
      const link = openOf('doomed').shift();
      if (link === undefined) return false;
      const isDone = isAnswered(await call(200, { method: 'DELETE', path: `/short-link/${link.id}` }), 200);
      if (isDone) link.once.add('link.deleted');
      return isDone;
    },
    async importRows() {
      const rows = Array.from({ length: rowsPerImport }, () => 'https://clean.example/');
      const file = { filename: 'links.csv', type: 'text/csv', content: ['destination', ...rows].join('\n') };
      const { payload, headers } = writeMultipart([file]);
      const sent = { method: 'POST', path: '/short-link/import', headers, body: payload.toString() };
      // As many imports as an organization may have under way.
      const outcome = await call(201, sent, 429);
      if (!isAnswered(outcome, 201)) return false;
      imports.push((JSON.parse(outcome.body) as { id: string }).id);
      return true;
    },
    [Symbol.dispose]() {
      edge[Symbol.dispose]();
      api[Symbol.dispose]();
    },
  };
}
