/** What a list answers: `nextCursor` where it can be followed by cursor, `count` where by the number of the page. */
export interface Page<Item> {
  data: Item[];
  count?: number;
  nextCursor?: string | null;
  hasMore?: boolean;
}

type ItemOf<P extends Page<unknown>> = P extends { data: (infer Item)[] } ? Item : never;

/** Filters of a list, with what divides it into pages. */
export interface PageQuery {
  limit?: number;
  page?: number;
  cursor?: string;
}

/**
 * A list: `await` reads one page, as the query asks; `for await` reads every item, a page at a time; `pages()` gives whole pages.
 * Nothing is called before it is read.
 */
export class List<P extends Page<unknown>> implements PromiseLike<P>, AsyncIterable<ItemOf<P>> {
  readonly #read: (query: PageQuery) => Promise<P>;
  readonly #query: PageQuery;
  readonly #largestLimit: number;

  constructor(read: (query: PageQuery) => Promise<P>, query: PageQuery, largestLimit: number) {
    this.#read = read;
    this.#query = query;
    this.#largestLimit = largestLimit;
  }

  /** Every page from the one that the query asks for, each as large as the API allows unless the query has a `limit`. */
  async *pages(): AsyncGenerator<P, void, undefined> {
    let query: PageQuery = { ...this.#query, limit: this.#query.limit ?? this.#largestLimit };
    for (;;) {
      const page = await this.#read(query);
      yield page;
      const next = nextQuery(query, page);
      if (next === undefined) return;
      query = next;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ItemOf<P>, void, undefined> {
    for await (const page of this.pages()) yield* page.data as ItemOf<P>[];
  }

  // oxlint-disable-next-line unicorn/no-thenable -- `await` reads a page
  then<A = P, B = never>(
    onDone?: ((page: P) => A | PromiseLike<A>) | null,
    onFailed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#read(this.#query).then(onDone, onFailed);
  }
}

/** The query of the page after this one; undefined: it was the last. */
function nextQuery(query: PageQuery, page: Page<unknown>): PageQuery | undefined {
  if (page.data.length === 0 || page.hasMore === false) return undefined;
  if (page.nextCursor !== undefined) {
    const { page: _number, ...rest } = query;
    return page.nextCursor === null ? undefined : { ...rest, cursor: page.nextCursor };
  }
  const number = query.page ?? 0;
  const seen = number * query.limit! + page.data.length;
  return seen < (page.count ?? 0) ? { ...query, page: number + 1 } : undefined;
}
