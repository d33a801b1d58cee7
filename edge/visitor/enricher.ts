import type { CompiledLink } from '#core/routing/compiled/compiled-link.ts';
import { botMark, cleanText, copyField } from '#core/clicks/click.ts';
import type { Bot } from '#core/routing/bots.ts';
import type { Visitor } from '#core/routing/decide.ts';
import type { GeoLookup, GeoLocation } from '#core/routing/geo-location.ts';
import { noUtm, readVisitedQuery, type UtmValues } from '#core/routing/utm.ts';
import type { VisitHeaders } from '#edge/http/exchange.ts';
import { createAgents } from './agent.ts';
import { createLanguages } from './language.ts';
import { anonymousVisitor, createVisitorHash } from './hash.ts';
import type { VisitorKeys } from './keys.ts';
import { rememberTexts } from '#core/lib/text/remember-texts.ts';
import { uuidv7 } from '#core/lib/uuid.ts';

/** A visitor as routing needs it, and the visitor's fields of a click record. */
export interface EnrichedVisitor extends Visitor {
  readonly bot: Bot | undefined;
  readonly isAndroidWebView: boolean;
  readonly address: string;
  readonly userAgent: string;
  readonly locationFields: string;
  /** `locationFields` without region and city. */
  readonly countryFields: string;
  /** Whether the request has `Sec-GPC: 1`: the browser asks not to be tracked. */
  readonly hasGpc: boolean;
  readonly languageField: string;
  readonly agentFields: string;
  readonly refererField: string;
}

export type Enricher = ReturnType<typeof createEnricher>;

interface EnricherOptions {
  visitorKeys: Pick<VisitorKeys, 'find'>;
  geo?: GeoLookup;
}

const noUtmFields = '\\N\t\\N\t\\N\t\\N\t\\N';

/** Turns requests into visitors, and visits into lines of the journal; addresses and user agents themselves are never recorded. */
export function createEnricher({ visitorKeys, geo }: EnricherOptions) {
  const agents = createAgents();
  const languages = createLanguages();
  const locate = createGeoLocations(geo);
  const visitorHash = createVisitorHash(visitorKeys);

  /**
   * A click as a line of the journal (`clickColumns`).
   * @param url the chosen destination.
   * @param nowMs Unix time in milliseconds.
   */
  const click = (link: CompiledLink, visitor: EnrichedVisitor, url: string, nowMs: number): string => {
    const clickedAt = new Date(nowMs).toISOString();
    const isAnonymous = visitor.hasGpc && link.honoursGpc;
    const hash = isAnonymous
      ? anonymousVisitor()
      : visitorHash(link.organizationId, visitor.address, visitor.userAgent, clickedAt.slice(0, 'YYYY-MM'.length));
    const locationFields = isAnonymous ? visitor.countryFields : visitor.locationFields;
    const visited = readVisitedQuery(visitor.query);
    // In the order of `clickColumns`.
    return (
      `${uuidv7()}\t${clickedAt}\t${link.id}\t\\\\x${hash}\t${locationFields}\t${visitor.languageField}\t` +
      `${visitor.agentFields}\t${visitor.refererField}\t${visited.isQrCode ? 't' : 'f'}\t${utmFields(visited.utm, link.utm)}\t` +
      `${link.organizationId}\t${link.domainId}\t${link.folderId}\t{${link.tagIds.join(',')}}\t${copyField(url)}\n`
    );
  };

  return {
    /** @param address the client's. */
    visitor(headers: VisitHeaders, address: string, query: string): EnrichedVisitor {
      const userAgent = headers['user-agent'] ?? '';
      const agent = agents(userAgent);
      const language = languages(headers['accept-language']);
      const location = locate(address);
      return {
        query,
        country: location.country,
        language: language.tag,
        osType: agent.osType,
        isBot: agent.bot !== undefined,
        isPreviewer: agent.bot?.kind === 'preview',
        bot: agent.bot,
        isAndroidWebView: agent.isAndroidWebView,
        address,
        userAgent,
        locationFields: location.fields,
        countryFields: location.countryFields,
        hasGpc: headers['sec-gpc'] === '1',
        languageField: language.field,
        agentFields: agent.fields,
        refererField: copyField(refererHost(headers.referer)),
      };
    },
    click,
    /** A bot's visit as a line of the journal: `botMark`, then `botClickColumns`. */
    botClick(link: CompiledLink, visitor: EnrichedVisitor, url: string, nowMs: number): string {
      const { kind, reason } = visitor.bot!;
      return `${botMark}${click(link, visitor, url, nowMs).slice(0, -1)}\t${kind}\t${reason}\n`;
    },
  };
}

/** The five values of the visited address, else of the link. */
function utmFields(visited: UtmValues, own: UtmValues): string {
  if (visited === noUtm && own === noUtm) return noUtmFields;
  return own.map((value, index) => textField(visited[index] ?? value)).join('\t');
}

function textField(text: string | null): string {
  return copyField(text === null ? null : cleanText(text) || null);
}

const longestHost = 253;
const schemePattern = /^[a-z][a-z0-9+.-]*$/i;
const plainHost = /^[a-z0-9._-]+$/;
const ipv6Host = /^\[[0-9a-f:.]+\]/;

/** The host of a Referer header, lower-case and without port; null where there is none. */
export function refererHost(header: string | undefined): string | null {
  if (header === undefined) return null;
  const start = header.indexOf('://') + 3;
  // A `://` behind a path or a query belongs to another address.
  if (start < 4 || !schemePattern.test(header.slice(0, start - 3))) return null;
  let from = start;
  let end = start;
  // Up to the first of / ? # \ and, before that, from behind the last @.
  for (; end < header.length; end += 1) {
    const code = header.charCodeAt(end);
    if (code === 47 || code === 63 || code === 35 || code === 92) break;
    if (code === 64) from = end + 1;
  }
  const authority = header.slice(from, end).toLowerCase();
  if (authority.startsWith('[')) return ipv6Host.exec(authority)?.[0] ?? null;
  const colon = authority.indexOf(':');
  const host = colon === -1 ? authority : authority.slice(0, colon);
  return host.length <= longestHost && plainHost.test(host) ? host : null;
}

/** A visitor's country, and the four fields of a journal's line: country, region, city, continent. */
interface VisitorLocation {
  readonly country: string | null;
  readonly fields: string;
  /** `fields` without region and city. */
  readonly countryFields: string;
}

const maxLocations = 10_000;
const unknown = copyField(null);
const noFields = Array.from({ length: 4 }, () => unknown).join('\t');
const nowhere: VisitorLocation = { country: null, fields: noFields, countryFields: noFields };

/** Locates addresses, and remembers them until there is a new version of the data. Without a lookup every location is unknown. */
function createGeoLocations(geo?: GeoLookup): (address: string) => VisitorLocation {
  if (geo === undefined) return () => nowhere;
  const remember = () => rememberTexts(maxLocations, (address) => toVisitorLocation(geo.find(address)));
  let locate = remember();
  let { version } = geo;
  return (address) => {
    if (version !== geo.version) {
      locate = remember();
      version = geo.version;
    }
    return locate(address);
  };
}

function toVisitorLocation(location: GeoLocation | null): VisitorLocation {
  if (location === null) return nowhere;
  const { country, region, city, continent } = location;
  const fields = [country, region, city, continent].map((value) => copyField(value === null ? null : cleanText(value)));
  const countryFields = [fields[0]!, unknown, unknown, fields[3]!].join('\t');
  return { country, fields: fields.join('\t'), countryFields };
}
