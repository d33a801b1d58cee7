import { setTimeout as sleep } from 'node:timers/promises';
import type { EventType } from '#core/webhooks/events.ts';
import { type Client, createClient } from '#bench/soak/client.ts';
import { between, pick, type Random } from '#bench/soak/random.ts';
import type { SoakStack } from '#bench/soak/stack.ts';
import { writeMultipart } from '#test/support/upload.ts';

/** The changes of one link that were answered. */
export interface ChangedLink {
  id: string;
  slug: string;
  updates: number;
  visits: number;
  /** Types of events that the link has once, and never twice. */
  once: Set<EventType>;
}

/** Clients whose calls cause events. */
export interface EventLoad extends Disposable {
  readonly links: readonly ChangedLink[];
  /** Ids of imports that were answered. */
  readonly imports: readonly string[];
  /** Changes and visits that were answered. */
  done(): number;
  /** Resolves when that many were answered. */
  reached(count: number): Promise<void>;
}

const creators = 2;
const editors = 4;
const visitors = 4;
// Of the ten links of a call one expires, one is capped, one is flagged, one is deleted, and six are changed and visited.
const plainPerCall = 6;
const maxClicks = 3;
const expiresAfterMs = 1_000;
const rowsPerImport = 20;
const afterFailureMs = 200;
const userAgent =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36';

/** Starts clients that create, change, visit, delete and import links until there are enough events. */
export function startEventLoad(stack: SoakStack, random: Random): EventLoad {
  const api: Client = createClient(stack.apiUrl, creators + editors + 2);
  const edge: Client = createClient(stack.edgeUrl, visitors + 1);
  const links: ChangedLink[] = [];
  const plain: ChangedLink[] = [];
  // Links that no answered visit has used up, and links that no call has deleted.
  const capped: ChangedLink[] = [];
  const doomed: ChangedLink[] = [];
  const imports: string[] = [];
  const stopping = new AbortController();
  const { signal } = stopping;
  const headers = { 'x-api-key': stack.apiKey };
  // One destination for most links, so that one verdict serves them.
  const destination = { type: 'link', value: 'https://clean.example/' };
  let done = 0;
  let wanted = Number.POSITIVE_INFINITY;

  const call = async (method: string, path: string, status: number, body?: object): Promise<string | undefined> => {
    const outcome = await api.send(
      body === undefined
        ? { method, path, headers }
        : { method, path, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) },
    );
    return outcome.kind === 'answer' && outcome.status === status ? outcome.body : undefined;
  };
  const create = async (): Promise<boolean> => {
    const expiresAt = new Date(Date.now() + expiresAfterMs).toISOString();
    const flagged = { type: 'link', value: `https://${stack.flaggedHost}/${random()}` };
    const drafts: { body: object; list?: ChangedLink[]; once?: EventType }[] = [
      ...Array.from({ length: plainPerCall }, () => ({ body: { destination }, list: plain })),
      { body: { destination, maxClicks }, list: capped },
      { body: { destination }, list: doomed },
      { body: { destination, expiresAt }, once: 'link.expired' },
      { body: { destination: flagged }, once: 'link.flagged' },
    ];
    const answer = await call('POST', '/short-link/bulk', 201, { links: drafts.map(({ body }) => body) });
    if (answer === undefined) return false;
    const { results } = JSON.parse(answer) as { results: { status: number; data: { id: string; slug: string } }[] };
    for (const [index, { status, data }] of results.entries()) {
      if (status !== 201) continue;
      const { list, once } = drafts[index]!;
      const link: ChangedLink = {
        id: data.id,
        slug: data.slug,
        updates: 0,
        visits: 0,
        once: new Set(['link.created']),
      };
      if (once !== undefined) link.once.add(once);
      links.push(link);
      list?.push(link);
      done += 1;
    }
    return true;
  };
  const edit = async (): Promise<boolean> => {
    if (plain.length === 0) return false;
    const link = pick(random, plain);
    const answer = await call('PATCH', `/short-link/${link.id}`, 200, { title: `Title ${random()}` });
    if (answer === undefined) return false;
    link.updates += 1;
    done += 1;
    return true;
  };
  const visit = async (link: ChangedLink): Promise<number | undefined> => {
    const outcome = await edge.send({
      path: `/${link.slug}`,
      headers: { host: stack.edgeHost, 'user-agent': userAgent },
    });
    if (outcome.kind !== 'answer') return undefined;
    if (outcome.status === 302) {
      link.visits += 1;
      done += 1;
    }
    return outcome.status;
  };
  const visitPlain = async (): Promise<boolean> => plain.length > 0 && (await visit(pick(random, plain))) === 302;
  const useUp = async (): Promise<boolean> => {
    const [link] = capped;
    if (link === undefined) return false;
    const status = await visit(link);
    if (link.visits === maxClicks) link.once.add('link.capped');
    // 410: an edge that died had taken visits that it did not answer.
    if (link.visits === maxClicks || status === 410) capped.shift();
    return status === 302;
  };
  const remove = async (): Promise<boolean> => {
    const link = doomed.shift();
    if (link === undefined || (await call('DELETE', `/short-link/${link.id}`, 200)) === undefined) return false;
    link.once.add('link.deleted');
    done += 1;
    return true;
  };
  const importRows = async (): Promise<boolean> => {
    const rows = Array.from({ length: rowsPerImport }, () => destination.value);
    const file = { filename: 'links.csv', type: 'text/csv', content: ['destination', ...rows].join('\n') };
    const { payload, headers: ofBody } = writeMultipart([file]);
    const outcome = await api.send({
      method: 'POST',
      path: '/short-link/import',
      headers: { ...headers, ...ofBody },
      body: payload.toString(),
    });
    if (outcome.kind !== 'answer' || outcome.status !== 201) return false;
    imports.push((JSON.parse(outcome.body) as { id: string }).id);
    done += 1;
    return true;
  };
  const isOver = (): boolean => signal.aborted || done >= wanted;
  const repeat = async (leastMs: number, mostMs: number, work: () => Promise<boolean>): Promise<void> => {
    while (!isOver()) {
      const pauseMs = (await work()) ? between(random, leastMs, mostMs) : afterFailureMs;
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  };
  const working = [
    ...Array.from({ length: creators }, () => repeat(20, 60, create)),
    ...Array.from({ length: editors }, () => repeat(2, 10, edit)),
    ...Array.from({ length: visitors }, () => repeat(2, 10, visitPlain)),
    repeat(5, 15, useUp),
    repeat(20, 60, remove),
    repeat(300, 900, importRows),
  ];

  return {
    links,
    imports,
    done: () => done,
    async reached(count) {
      wanted = count;
      await Promise.all(working);
    },
    [Symbol.dispose]() {
      stopping.abort();
      api[Symbol.dispose]();
      edge[Symbol.dispose]();
    },
  };
}
