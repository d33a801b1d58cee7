import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '#bench/soak/client.ts';
import { between, pick, type Random } from '#bench/soak/random.ts';
import type { SoakStack } from '#bench/soak/stack.ts';

/** The changes of one link that were answered. */
export interface ChangedLink {
  id: string;
  slug: string;
  updates: number;
  visits: number;
}

/** Clients whose calls cause events. */
export interface EventLoad extends Disposable {
  readonly links: readonly ChangedLink[];
  /** Changes and visits that were answered. */
  done(): number;
  /** Resolves when that many were answered. */
  reached(count: number): Promise<void>;
}

const creators = 2;
const editors = 4;
const visitors = 4;
const linksPerCall = 10;
const afterFailureMs = 200;
const userAgent =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36';

/** Starts clients that create, change and visit links until there are enough events. */
export function startEventLoad(stack: SoakStack, random: Random): EventLoad {
  const api: Client = createClient(stack.apiUrl, creators + editors);
  const edge: Client = createClient(stack.edgeUrl, visitors);
  const links: ChangedLink[] = [];
  const stopping = new AbortController();
  const { signal } = stopping;
  const headers = { 'x-api-key': stack.apiKey, 'content-type': 'application/json' };
  // One destination for all links, so that one verdict serves them: scans are not tested here.
  const destination = { type: 'link', value: 'https://clean.example/' };
  let done = 0;
  let wanted = Number.POSITIVE_INFINITY;

  const call = async (method: string, path: string, status: number, body: object): Promise<string | undefined> => {
    const outcome = await api.send({ method, path, headers, body: JSON.stringify(body) });
    return outcome.kind === 'answer' && outcome.status === status ? outcome.body : undefined;
  };
  const create = async (): Promise<boolean> => {
    const body = { links: Array.from({ length: linksPerCall }, () => ({ destination })) };
    const answer = await call('POST', '/short-link/bulk', 201, body);
    if (answer === undefined) return false;
    const { results } = JSON.parse(answer) as { results: { status: number; data: { id: string; slug: string } }[] };
    const made = results.filter((row) => row.status === 201);
    links.push(...made.map(({ data: { id, slug } }) => ({ id, slug, updates: 0, visits: 0 })));
    done += made.length;
    return true;
  };
  const edit = async (): Promise<boolean> => {
    if (links.length === 0) return false;
    const link = pick(random, links);
    const answer = await call('PATCH', `/short-link/${link.id}`, 200, { title: `Title ${random()}` });
    if (answer === undefined) return false;
    link.updates += 1;
    done += 1;
    return true;
  };
  const visit = async (): Promise<boolean> => {
    if (links.length === 0) return false;
    const link = pick(random, links);
    const outcome = await edge.send({
      path: `/${link.slug}`,
      headers: { host: stack.edgeHost, 'user-agent': userAgent },
    });
    if (outcome.kind !== 'answer' || outcome.status !== 302) return false;
    link.visits += 1;
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
    ...Array.from({ length: visitors }, () => repeat(2, 10, visit)),
  ];

  return {
    links,
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
