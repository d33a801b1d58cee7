import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { openRereadFile } from '#adapters/machine/reread-file.ts';
import { type ThreatType, threatTypes } from '#core/threats/types.ts';
import { canonicalUrl } from '#core/threats/url-expressions.ts';
import { type LocalLookup, ScanError, type ThreatScanner } from './threat-scanner.ts';

/** The list that ships with Waymark; it holds well-known test URLs. */
export const sampleThreatList = join(import.meta.dirname, 'threat-list-sample.txt');

interface ThreatListOptions {
  /** Path of the list; default: `sampleThreatList`. */
  file?: string;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Minimum milliseconds between two checks of the file. */
  checkEveryMs?: number;
}

// A lookup is cheap here, so verdicts may be short: a second for threats, which are few, an hour for clean URLs, which a rescan
// looks up in any case.
const threatForMs = 1_000;
const cleanForMs = 60 * 60 * 1_000;
const maxMistakesShown = 10;
const maxQuoted = 60;

export interface ThreatList extends ThreatScanner {
  lookUpLocally: LocalLookup;
  /** SHA-256 (hexadecimal) of the list in force. */
  sha256(): string;
}

/** The list cannot be read or parsed; the message has file and line. */
export class ThreatListError extends Error {}

interface Entries {
  /** SHA-256 of the file. */
  sha256: string;
  urls: Map<string, ThreatType[]>;
  hosts: Map<string, ThreatType[]>;
}

/**
 * Scans by a list in a file: a host matches itself and its subdomains, a URL itself, both normalized. A changed file is read
 * again; while it has a mistake, the previous list stays in force.
 * @throws ThreatListError with file and line when the list cannot be read or parsed.
 */
export async function createThreatList({
  file = sampleThreatList,
  log,
  checkEveryMs = 1_000,
}: ThreatListOptions): Promise<ThreatList> {
  const list = await openRereadFile({
    path: file,
    parse: (bytes) => parseThreatList(bytes.toString(), file),
    onReread: ({ urls, hosts }) =>
      log.info({ file, urls: urls.size, hosts: hosts.size }, 'the threat list was read again'),
    onUnreadable: ({ message: reason }) =>
      log.warn({ reason }, 'the threat list cannot be read again; the one read before stays in force'),
  }).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof ThreatListError) throw error;
    throw new ThreatListError(`${file}: cannot be read (${error.code ?? 'unknown error'})`);
  });
  let checkedAtMs = Date.now();

  const lookUpLocally: LocalLookup = async (url) => {
    const parsed = URL.parse(url);
    if (parsed === null) return undefined;
    if (Date.now() - checkedAtMs >= checkEveryMs) {
      await list.check();
      checkedAtMs = Date.now();
    }
    const threatTypes = find(list.content, parsed);
    const holdsForMs = threatTypes.length > 0 ? threatForMs : cleanForMs;
    return { threatTypes, expiresAt: new Date(Date.now() + holdsForMs) };
  };

  return {
    name: file === sampleThreatList ? 'the sample threat list' : `the threat list ${file}`,
    lookUpLocally,
    sha256: () => list.content.sha256,
    async lookup(url) {
      const answer = await lookUpLocally(url);
      if (answer === undefined) throw new ScanError('refused', 'the threat list cannot read the URL');
      return answer;
    },
    close: async () => {},
  };
}

/**
 * Parses a list: each line is a URL or host, a tab and threat types; empty lines and lines that begin with `#` are skipped.
 * @param file name for error messages.
 * @throws ThreatListError with at most ten mistakes, each as `file:line: message`.
 */
function parseThreatList(text: string, file: string): Entries {
  const list: Entries = { sha256: hash('sha256', text), urls: new Map(), hosts: new Map() };
  const mistakes: string[] = [];
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const mistake = addLine(list, line);
    if (mistake !== undefined) mistakes.push(`${file}:${index + 1}: ${mistake}`);
  }
  if (mistakes.length > 0) throw new ThreatListError(mistakes.slice(0, maxMistakesShown).join('\n'));
  return list;
}

function addLine(list: Entries, line: string): string | undefined {
  const [subject = '', names, ...rest] = line.split('\t').map((field) => field.trim());
  if (names === undefined || rest.length > 0) return 'must be a URL or host, one tab, and types separated by commas';
  const types = names.split(',').map((name) => name.trim());
  const unknown = types.find((type) => !threatTypes.includes(type as ThreatType));
  if (unknown !== undefined) return `${quote(unknown)} is no type of threat (${threatTypes.join(', ')})`;
  if (subject.includes('://')) {
    if (!URL.canParse(subject) || !/^https?:\/\//i.test(subject)) return `${quote(subject)} is no http or https URL`;
    add(list.urls, urlKey(new URL(subject)), types as ThreatType[]);
    return undefined;
  }
  if (/[/?#@:\\\s]/.test(subject) || !URL.canParse(`http://${subject}`))
    return `${quote(subject)} is neither a URL nor a host`;
  add(list.hosts, hostKey(new URL(`http://${subject}`)), types as ThreatType[]);
  return undefined;
}

/** The beginning of a text in quotes, with escapes for control characters: the file may be none of text. */
function quote(text: string): string {
  return JSON.stringify(text.length > maxQuoted ? `${text.slice(0, maxQuoted)}…` : text);
}

function add(entries: Map<string, ThreatType[]>, key: string, types: ThreatType[]): void {
  entries.set(key, union(entries.get(key), types));
}

function find(list: Entries, url: URL): ThreatType[] {
  let types = union(list.urls.get(urlKey(url)), []);
  const labels = hostKey(url).split('.');
  for (let from = 0; from < labels.length; from += 1) {
    const found = list.hosts.get(labels.slice(from).join('.'));
    if (found !== undefined) types = union(types, found);
  }
  return types;
}

/** Scheme, host, port, path and query, each in the one form of Web Risk, so that no other spelling evades the list. */
function urlKey(url: URL): string {
  const canonical = canonicalUrl(url.href);
  if (canonical === undefined) return url.href;
  const { scheme, host, path, query } = canonical;
  return `${scheme}://${host}:${url.port}${path}${query ? `?${query}` : ''}`;
}

const hostKey = (url: URL): string => url.hostname.replace(/\.$/, '');
const union = (known: readonly ThreatType[] | undefined, more: readonly ThreatType[]): ThreatType[] =>
  threatTypes.filter((type) => known?.includes(type) === true || more.includes(type));
