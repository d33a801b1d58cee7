import Bowser from 'bowser';
import { agentKind, handTool } from '#core/routing/bots.ts';
import { cleanText, copyField } from '#core/clicks/click.ts';
import { copyText } from '#core/lib/copy-text.ts';
import type { OsType } from '#core/links/draft.ts';
import { createBoundedCache } from '#edge/bounded-cache.ts';

/** What a user agent string tells. */
export interface Agent {
  /** Crawlers, previews, monitors, HTTP libraries, headless browsers; not what a person runs by hand (4.10). */
  readonly isBot: boolean;
  /** Of these, what builds previews of links (4.9). */
  readonly isPreviewer: boolean;
  readonly osType: OsType;
  /** `device`, `browser` and `os` as fields of a journal's line. */
  readonly fields: string;
}

const maxAgents = 5_000;
const maxBytes = 8 * 1_024 * 1_024;
const maxLength = 512;

const namesByHand: Record<string, string> = { curl: 'curl', wget: 'Wget', httpie: 'HTTPie' };
const osTypes: Record<string, OsType> = {
  Windows: 'windows',
  macOS: 'macos',
  Linux: 'linux',
  iOS: 'ios',
  iPadOS: 'ios',
  Android: 'android',
};
const devices = new Set(['desktop', 'mobile', 'tablet', 'tv']);
// Televisions and the boxes below them whose browsers say that they are tablets, or do not say.
const tv = /; aft[a-z0-9]{1,6}[ )]|\b(?:smart-?tv|hbbtv|(?:google|android|apple) ?tv|crkey|bravia)\b/i;

/** Reads user agent strings, each once: parsing one costs as much as the rest of a redirect. */
export function createAgents(): (userAgent: string | undefined) => Agent {
  const cache = createBoundedCache<Agent>({ max: maxAgents, maxBytes, bytesOf: ({ fields }) => 2 * fields.length });
  return (userAgent = '') => {
    const key = userAgent.length > maxLength ? userAgent.slice(0, maxLength) : userAgent;
    let agent = cache.get(key);
    if (agent === undefined) cache.set(key, (agent = readAgent(key)));
    return agent;
  };
}

function readAgent(userAgent: string): Agent {
  const tool = handTool(userAgent);
  const parser = userAgent === '' ? undefined : Bowser.getParser(userAgent);
  const browser = tool === undefined ? parser?.getBrowserName() : namesByHand[tool];
  const os = parser?.getOSName() ?? '';
  const platform = parser?.getPlatformType() ?? '';
  // Chromebooks have no type of their own.
  const told = devices.has(platform) ? platform : os === 'Chrome OS' ? 'desktop' : 'other';
  const device = tv.test(userAgent) ? 'tv' : told;
  const kind = agentKind(userAgent);
  return {
    isBot: kind !== 'person',
    isPreviewer: kind === 'previewer',
    osType: osTypes[os] ?? 'other',
    // A name that the parser does not know is a slice of the user agent.
    fields: copyText(`${device}\t${nameField(browser)}\t${nameField(os)}`),
  };
}

function nameField(name: string | undefined): string {
  return copyField(name === undefined || name === '' ? null : cleanText(name));
}
