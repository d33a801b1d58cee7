import Bowser from 'bowser';
import { agentKind, commandLineTool } from '#core/routing/bots.ts';
import { cleanText, copyField } from '#core/clicks/click.ts';
import { copyText } from '#core/lib/copy-text.ts';
import type { OsType } from '#core/links/draft.ts';
import { createBoundedCache } from '#edge/bounded-cache.ts';

/** Facts derived from a user agent string. */
export interface Agent {
  /** Crawlers, previews, monitors, HTTP libraries, headless browsers; not tools that a person runs by hand (4.10). */
  readonly isBot: boolean;
  /** A crawler that builds previews of links (4.9). */
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
// Televisions and set-top boxes whose browsers claim to be tablets, or name no device.
const tv = /; aft[a-z0-9]{1,6}[ )]|\b(?:smart-?tv|hbbtv|(?:google|android|apple) ?tv|crkey|bravia)\b/i;

/** Parses user agent strings through a cache: one parse costs as much as the rest of a redirect. */
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
  const tool = commandLineTool(userAgent);
  const parser = userAgent === '' ? undefined : Bowser.getParser(userAgent);
  const browser = tool === undefined ? parser?.getBrowserName() : namesByHand[tool];
  const os = parser?.getOSName() ?? '';
  const platform = parser?.getPlatformType() ?? '';
  // The parser knows no device type for Chromebooks.
  const told = devices.has(platform) ? platform : os === 'Chrome OS' ? 'desktop' : 'other';
  const device = tv.test(userAgent) ? 'tv' : told;
  const kind = agentKind(userAgent);
  return {
    isBot: kind !== 'person',
    isPreviewer: kind === 'previewer',
    osType: osTypes[os] ?? 'other',
    // Copied: a name that the parser does not know is a slice, which would keep the whole user agent in memory.
    fields: copyText(`${device}\t${nameField(browser)}\t${nameField(os)}`),
  };
}

function nameField(name: string | undefined): string {
  return copyField(name === undefined || name === '' ? null : cleanText(name));
}
