import { isbot } from 'isbot';

/**
 * Sender of a user agent (4.10): a person; a crawler that builds previews of links; or another machine, like a search
 * engine, a monitor, an HTTP library, a headless browser. Only visits of persons are clicks.
 */
type AgentKind = 'person' | 'previewer' | 'bot';

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

// Libraries, headless browsers and monitors that isbot takes for browsers.
const libraries =
  /^(?:dart|elixir|erlang|hackney|cpp-httplib|urlsession|winhttp|dalvik)\b|\b(?:alamofire|cfnetwork|jsdom|monitis|nagios|(?:windows)?powershell|puppeteer)\b/i;

/** Classifies a user agent; a missing one counts as a person. */
export function agentKind(userAgent: string): AgentKind {
  if (userAgent === '' || byHand.test(userAgent) || bareBrowser.test(userAgent) || bareApp.test(userAgent))
    return 'person';
  if (!isbot(userAgent) && !libraries.test(userAgent)) return 'person';
  return previewers.test(userAgent) ? 'previewer' : 'bot';
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
