import { isbot } from 'isbot';
import type { BotKind } from '#core/clicks/click.ts';

/** By what a machine was told, and of which kind that makes it. */
const kinds = {
  'link-preview': 'preview',
  'security-scanner': 'scanner',
  'search-engine': 'crawler',
  'ai-crawler': 'crawler',
  'other-crawler': 'crawler',
  monitor: 'tool',
  'headless-browser': 'tool',
  'http-library': 'tool',
} as const satisfies Record<string, BotKind>;

/** A machine that visits links. */
export interface Bot {
  readonly kind: BotKind;
  readonly reason: keyof typeof kinds;
}

// Tools that people run by hand, although their user agents look like libraries.
const byHand = /^(curl|wget|httpie)2?\b/i;
// User agents that people give such a tool for sites that demand a browser.
const bareBrowser = /^mozilla\/5\.0$/i;

// Apps that call themselves so without the words of a browser; isbot takes some for machines.
const bareApp = /^(?:\[FBAN\/|Instagram \d|Pinterest for |com\.zhiliaoapp\.musically\/)/;

const previewers = new RegExp(
  [
    // Messengers; Signal goes by WhatsApp's name, Line, Threads and iMessage by Facebook's.
    '^WhatsApp/',
    'TelegramBot',
    'SkypeUriPreview',
    'Viber',
    'kakaotalk-scrap',
    'Snap URL Preview',
    'Slackbot',
    'Slack-ImgProxy',
    'Discordbot',
    'Synapse',
    'Rocket\\.Chat',
    'Mattermost',
    'ZoomBot',
    'Google-PageRenderer',
    'GoogleMessages/',
    'DingTalkBot-LinkService',
    'LarkUrl2Service',
    'GroupMeBot',
    'ZulipURLPreview',
    // Networks.
    'facebookexternalhit',
    'Facebot',
    'facebookcatalog',
    'meta-externalfetcher',
    'Twitterbot',
    'LinkedInBot',
    'redditbot',
    'Pinterestbot',
    'Pinterest/0\\.',
    'Tumblr/',
    'vkShare',
    'XING-contenttabreceiver',
    'Bluesky Cardyb',
    'Mastodon/',
    'Misskey/',
    'SummalyBot',
    '(?:Sharkey|Firefish|Iceshrimp|Calckey|Foundkey|Cherrypick)\\b',
    'GoToSocial',
    'PeerTube',
    'Pixelfed',
    'Hubzilla',
    '\\b[km]bin\\b',
    'Takahe',
    'WriteFreely',
    'BookWyrm',
    'Mobilizon',
    'Funkwhale',
    'Pleroma',
    'Akkoma',
    'Friendica',
    'Lemmy/',
    'Discourse Forum Onebox',
    'OdklBot',
    // Services that others ask for previews.
    'Embedly',
    'Iframely',
    'OpenGraph',
    'Yahoo Link Preview',
    'BingPreview',
    'MicrosoftPreview',
    'Quora Link Preview',
    'Flipboard',
    'Notion',
  ].join('|'),
  'i',
);

// Libraries, headless browsers and monitors that isbot takes for browsers, and Office, which asks whether a link is a file of its own.
const libraries =
  /^(?:dart|elixir|erlang|hackney|cpp-httplib|urlsession|winhttp|dalvik|mozilla\/4\.0 \(compatible; ms-office)\b|\b(?:alamofire|cfnetwork|jsdom|monitis|nagios|(?:windows)?powershell|puppeteer)\b/i;

/** What tells machines that build no previews; the first match counts. */
const machines: readonly [reason: Bot['reason'], mark: RegExp][] = [
  [
    'security-scanner',
    /barracuda|proofpoint|mimecast|forcepoint|fortiguard|bitdefender|kaspersky|sophos|symantec|trendmicro|safebrowsing|google-safety|urlscan|virustotal|phishtank|openphish|netcraft|censys|expanse|zgrab|nuclei|qualys|nessus|checkmarknetwork|internetmeasurement/i,
  ],
  [
    'monitor',
    /uptime|pingdom|statuscake|site24x7|datadog|blackbox|stackdriver|health-?check|kube-probe|nagios|check_http|monitis|monitor|newrelic|catchpoint|freshping|hetrixtools/i,
  ],
  ['headless-browser', /headless|phantomjs|puppeteer|playwright|selenium|lighthouse|jsdom|cypress|slimerjs/i],
  [
    'ai-crawler',
    /gptbot|chatgpt|oai-searchbot|claude|anthropic|perplexity|google-extended|ccbot|bytespider|cohere|diffbot|mistralai|meta-externalagent|amazonbot|youbot/i,
  ],
  [
    'search-engine',
    /google|bingbot|adidxbot|duckduck|yandex|baidu|applebot|yahoo|slurp|sogou|seznam|naver|yeti|qwant|petalbot|mojeek|coccoc|exabot/i,
  ],
  ['other-crawler', /bot\b|bot[/_ ]|crawl|spider|scrap|archiv|feed|seo|\+https?:\/\//i],
];

/** Classifies a user agent; undefined: a person's, as a missing one is. Only visits of persons are clicks. */
export function botOf(userAgent: string): Bot | undefined {
  if (userAgent === '' || byHand.test(userAgent) || bareBrowser.test(userAgent) || bareApp.test(userAgent))
    return undefined;
  if (!isbot(userAgent) && !libraries.test(userAgent)) return undefined;
  const reason = previewers.test(userAgent)
    ? 'link-preview'
    : (machines.find(([, mark]) => mark.test(userAgent))?.[0] ?? 'http-library');
  return { kind: kinds[reason], reason };
}

/** The command-line tool of a user agent, in lower case; undefined for any other client. */
export function commandLineTool(userAgent: string): string | undefined {
  return byHand.exec(userAgent)?.[1]?.toLowerCase();
}

/** Whether a browser only fetches ahead, by the header of today or those of older browsers. */
export function isPrefetch(headers: Readonly<Record<string, string | readonly string[] | undefined>>): boolean {
  return (
    speaksOfPrefetch(headers['sec-purpose']) ||
    speaksOfPrefetch(headers.purpose) ||
    speaksOfPrefetch(headers['x-moz']) ||
    speaksOfPrefetch(headers['x-purpose'])
  );
}

/**
 * Whether a browser fetches something for a page that it shows, like an image or a script (4.10): a link behind `<img src>`
 * is not visited by anyone. Pages, frames and what scripts fetch (`empty`) are not meant; nor are clients without the header.
 */
export function isSubresource(headers: Readonly<Record<string, string | readonly string[] | undefined>>): boolean {
  const destination = headers['sec-fetch-dest'];
  return destination !== undefined && destination !== 'document' && destination !== 'iframe' && destination !== 'empty';
}

function speaksOfPrefetch(value: string | readonly string[] | undefined): boolean {
  return value !== undefined && /prefetch|prerender|preview/i.test(String(value));
}
