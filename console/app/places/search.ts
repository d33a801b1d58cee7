// State in the URL: every filter, sort, page and open panel of a page, short and readable.

type Raw = Record<string, unknown>;

/** One parameter: `read` takes the text of the URL, or a value that a page set. Undefined: not understood, or not set. */
export interface Parameter<T> {
  read(value: unknown): T | undefined;
}

/** Parameters of a page. */
export type Parameters<S extends object> = { [Name in keyof S]-?: Parameter<NonNullable<S[Name]>> };

/** What the address of a page with these parameters may hold. */
export type SearchOf<P> = { [Name in keyof P]?: P[Name] extends Parameter<infer T> ? T : never };

const longestText = 8_192;
const longestList = 100;

export const textParameter: Parameter<string> = {
  read: (value) => (typeof value === 'string' && value !== '' && value.length <= longestText ? value : undefined),
};

/** Texts, separated by commas in the URL. */
export const listParameter: Parameter<readonly string[]> = {
  read(value) {
    const items: unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? splitList(value) : [];
    const texts = items.filter((item): item is string => typeof item === 'string' && item !== '');
    return texts.length === 0 || texts.length > longestList ? undefined : [...new Set(texts)];
  },
};

/** A positive whole number. */
export const countParameter: Parameter<number> = {
  read(value) {
    const count = typeof value === 'number' ? value : Number(value);
    return Number.isSafeInteger(count) && count > 0 ? count : undefined;
  },
};

const idPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text is an id as the API writes them. */
export function isId(text: string): boolean {
  return idPattern.test(text);
}

export function wordParameter<W extends string>(words: readonly W[]): Parameter<W> {
  return { read: (value) => words.find((word) => word === value) };
}

/** Parameters of a list without filters. */
export const pageParameters = { page: countParameter };
export type PageSearch = SearchOf<typeof pageParameters>;

/** Some of some words, separated by commas in the URL. */
export function wordsParameter<W extends string>(words: readonly W[]): Parameter<readonly W[]> {
  return {
    read(value) {
      const known = listParameter.read(value)?.filter((item): item is W => words.includes(item as W));
      return known === undefined || known.length === 0 ? undefined : known;
    },
  };
}

/**
 * Reads the parameters of a page. Reading never fails: what is not understood is undefined, which also takes the raw value out of
 * the router's search.
 */
export function readSearch<P extends object>(parameters: P, raw: Raw): SearchOf<P> {
  const read: Raw = {};
  for (const [name, parameter] of Object.entries(parameters) as [string, Parameter<unknown>][]) {
    if (raw[name] !== undefined) read[name] = parameter.read(raw[name]);
  }
  return read as SearchOf<P>;
}

/** Names of the parameters in the address that the page does not understand. */
export function findUnread(parameters: object, raw: Raw): string[] {
  const read = readSearch(parameters, raw) as Raw;
  return Object.keys(raw).filter((name) => raw[name] !== '' && read[name] === undefined);
}

/** The parameters of an address, as texts. */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

/** The address' part for the values of parameters, with commas and slashes as they are. */
export function stringifySearch(search: Raw): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined || value === null || value === '') continue;
    const text = Array.isArray(value)
      ? value.map((item) => textOf(item).replaceAll(/[%,]/g, encodeURIComponent)).join(',')
      : textOf(value);
    if (text === '') continue;
    parts.push(`${encodeURIComponent(name)}=${encodeReadable(text)}`);
  }
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : '';
}

function splitList(text: string): string[] {
  return text.split(',').map((item) => item.replaceAll(/%(25|2C)/g, decodeURIComponent));
}

function encodeReadable(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(/%(2C|2F|3A|40|20)/g, (escaped) =>
    escaped === '%20' ? '+' : decodeURIComponent(escaped),
  );
}
