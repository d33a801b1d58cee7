import { randomUUID } from 'node:crypto';
import { type Client, createClient, type Outcome } from './client.ts';
import type { SoakStack } from './stack.ts';

/** A link that was answered 201, and the answers to its visits. */
export interface KnownLink {
  id: string;
  slug: string;
  /** Where it leads. */
  url: string;
  /** Redirects that were received whole. */
  seen: number;
  /** Visits whose connection broke on the way: their click may count or not. */
  unsure: number;
}

/** A create that was asked for under an Idempotency-Key; `link` once it was answered 201. */
export interface KnownCreate {
  key: string;
  url: string;
  isFlagged: boolean;
  link?: KnownLink;
}

/** Requests and answers of the clients of one round. */
export interface Ledger extends Disposable {
  readonly links: readonly KnownLink[];
  readonly creates: readonly KnownCreate[];
  /** Answers that no fault excuses, each with how often it came. */
  readonly odd: ReadonlyMap<string, number>;
  /** Visits a link; true when it redirected as it should. */
  visit(link: KnownLink): Promise<boolean>;
  /** Creates a link to a unique URL; undefined when no server accepted the connection. */
  create(isFlagged: boolean): Promise<KnownCreate | undefined>;
  /** Repeats a create with the same idempotency key and body. */
  createAgain(create: KnownCreate): Promise<void>;
}

// A person's; bots do not count.
const userAgent =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36';

/** A ledger with its own clients. */
export function createLedger(
  stack: Pick<SoakStack, 'apiUrl' | 'apiKey' | 'edgeUrl' | 'edgeHost' | 'flaggedHost'>,
  connections: number,
): Ledger {
  const edge: Client = createClient(stack.edgeUrl, connections);
  const api: Client = createClient(stack.apiUrl, connections);
  const links: KnownLink[] = [];
  const creates: KnownCreate[] = [];
  const odd = new Map<string, number>();
  const noteOdd = (answer: string): void => void odd.set(answer, (odd.get(answer) ?? 0) + 1);

  async function ask(create: KnownCreate, isFirst: boolean): Promise<Outcome['kind']> {
    const outcome = await api.send({
      method: 'POST',
      path: '/short-link',
      headers: { 'x-api-key': stack.apiKey, 'content-type': 'application/json', 'idempotency-key': create.key },
      body: JSON.stringify({ destination: { type: 'link', value: create.url } }),
    });
    if (outcome.kind !== 'answer') return outcome.kind;
    const { status, headers, body } = outcome;
    if (status === 201) {
      const { id, slug } = JSON.parse(body) as { id: string; slug: string };
      create.link = { id, slug, url: create.url, seen: 0, unsure: 0 };
      links.push(create.link);
    } else {
      const isAway = status === 503 && headers['retry-after'] !== undefined;
      // A call that died still holds its idempotency key.
      const isClaimed = status === 409 && !isFirst;
      if (!isAway && !isClaimed) noteOdd(`API ${status}`);
    }
    return 'answer';
  }

  return {
    links,
    creates,
    odd,
    async visit(link) {
      const headers = { host: stack.edgeHost, 'user-agent': userAgent };
      const outcome = await edge.send({ path: `/${link.slug}`, headers });
      if (outcome.kind === 'broken') link.unsure += 1;
      if (outcome.kind !== 'answer') return false;
      const { status } = outcome;
      if (status === 302 && outcome.headers.location === link.url) {
        link.seen += 1;
        return true;
      }
      // The page that warns of a known threat: no click.
      if (status === 200 && new URL(link.url).hostname === stack.flaggedHost) return true;
      if (status !== 503 || outcome.headers['retry-after'] === undefined) noteOdd(`edge ${status}`);
      return false;
    },
    async create(isFlagged) {
      const key = randomUUID();
      const host = isFlagged ? stack.flaggedHost : 'clean.example';
      const create: KnownCreate = { key, url: `https://${host}/${key}`, isFlagged };
      creates.push(create);
      if ((await ask(create, true)) !== 'refused') return create;
      creates.splice(creates.indexOf(create), 1);
      return undefined;
    },
    createAgain: async (create) => void (await ask(create, false)),
    [Symbol.dispose]() {
      edge[Symbol.dispose]();
      api[Symbol.dispose]();
    },
  };
}
