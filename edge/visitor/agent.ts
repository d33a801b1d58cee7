import Bowser from 'bowser';
import { type Bot, botOf, commandLineTool } from '#core/routing/bots.ts';
import { copyField } from '#core/clicks/click.ts';
import type { OsType } from '#core/links/draft.ts';
import { rememberTexts } from '#core/lib/text/remember-texts.ts';

interface Agent {
  /** Crawlers, previews, monitors, HTTP libraries, headless browsers; not tools that a person runs by hand. */
  readonly bot: Bot | undefined;
  readonly osType: OsType;
  /** A view inside an Android app, which shows an error for `intent:`. */
  readonly isAndroidWebView: boolean;
  /** `device`, `browser` and `os` as fields of a journal's line. */
  readonly fields: string;
}

const maxAgents = 5_000;
const maxLength = 512;

const namesByHand: Record<string, string> = { curl: 'curl', wget: 'Wget', httpie: 'HTTPie' };
/** Apps that show links in a view of their own, by their marks in user agents; the first match counts. */
const apps: readonly [name: string, mark: RegExp][] = [
  ['Instagram', /\bInstagram \d/],
  ['Facebook', /\bFB(?:AN|AV|_IAB)\//],
  [
    'TikTok',
    /\b(?:musical_ly|trill|tiktok)[_/ ]|BytedanceWebview|com\.(?:zhiliaoapp\.musically|ss\.android\.ugc\.trill)/i,
  ],
  ['LinkedIn', /\bLinkedInApp\b|com\.linkedin\.android/],
  ['X', /\bTwitter for |\bTwitter(?:Android|-iPhone)\b/],
  ['Pinterest', /\[Pinterest\/|\bPinterest for /],
  ['Snapchat', /Snapchat[/ ]?\d/],
  ['Line', /\bLine\/\d/],
  ['WeChat', /\bMicroMessenger\//],
];
// The only names that are stored: the parser's own fallback is a part of the user agent itself.
const knownBrowsers = new Set([
  ...Object.values(Bowser.BROWSER_MAP),
  ...Object.values(namesByHand),
  ...apps.map(([name]) => name),
]);
const knownSystems = new Set(Object.values(Bowser.OS_MAP));
// Apps name their system without the words of a browser.
const androidApp =
  /\bFBAN\/(?:FB4A|Orca-Android)|\bFBPN\/com\.|\bFBSN\/Android|\bAndroid\b|com\.(?:zhiliaoapp|ss\.android|linkedin\.android)/i;
const iosApp = /\bFBSN\/(?:iOS|iPhone ?OS|iPadOS)|\bFBAN\/(?:FBIOS|MessengerForiOS)|\b(?:iPhone|iPad|iOS)\b/i;
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

// An iPad whose browser asks for pages of desktops; no browser of a Mac is mobile.
const ipadAsMac = /\bMacintosh\b.*\bMobile\//;
const tablet = /\bFBID\/tablet|\biPad\b|\btablet\b/i;
const webView = /; wv\)/;

/** Parses user agent strings through a cache: one parse costs as much as the rest of a redirect. */
export function createAgents(): (userAgent: string | undefined) => Agent {
  const read = rememberTexts(maxAgents, readAgent);
  return (userAgent = '') => read(userAgent.slice(0, maxLength));
}

function readAgent(userAgent: string): Agent {
  const tool = commandLineTool(userAgent);
  const app = apps.find(([, mark]) => mark.test(userAgent))?.[0];
  const parser = userAgent === '' ? undefined : Bowser.getParser(userAgent);
  const browser = app ?? (tool === undefined ? parser?.getBrowserName() : namesByHand[tool]);
  const parsedOs = parser?.getOSName() ?? '';
  const os = (parsedOs === '' && app !== undefined) || ipadAsMac.test(userAgent) ? systemOfApp(userAgent) : parsedOs;
  return {
    bot: botOf(userAgent),
    isAndroidWebView: os === 'Android' && (app !== undefined || webView.test(userAgent)),
    osType: osTypes[os] ?? 'other',
    fields: `${deviceOf(userAgent, { platform: parser?.getPlatformType() ?? '', os, app })}\t${nameField(browser, knownBrowsers)}\t${nameField(os, knownSystems)}`,
  };
}

function systemOfApp(userAgent: string): string {
  if (androidApp.test(userAgent)) return 'Android';
  return iosApp.test(userAgent) || ipadAsMac.test(userAgent) ? 'iOS' : '';
}

function deviceOf(
  userAgent: string,
  { platform, os, app }: { platform: string; os: string; app: string | undefined },
): string {
  if (tv.test(userAgent)) return 'tv';
  if (ipadAsMac.test(userAgent)) return 'tablet';
  // The parser takes an Android app that does not call itself a browser for a tablet, for want of the word Mobile.
  const isBare = app !== undefined && !userAgent.startsWith('Mozilla/');
  // The parser takes some apps, like that of Yahoo! JAPAN, for bots.
  const isPhoneOrTablet = (isBare || platform === 'bot') && (os === 'Android' || os === 'iOS');
  if (isPhoneOrTablet) return tablet.test(userAgent) ? 'tablet' : 'mobile';
  // The parser knows no device type for Chromebooks.
  return devices.has(platform) ? platform : os === 'Chrome OS' ? 'desktop' : 'other';
}

/** A name that is of a known list, else null: any other one is a piece of the user agent. */
function nameField(name: string | undefined, known: ReadonlySet<string>): string {
  return copyField(name !== undefined && known.has(name) ? name : null);
}
