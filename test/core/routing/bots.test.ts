import { describe, expect, test } from 'vitest';
import { botOf, commandLineTool, isPrefetch } from '#core/routing/bots.ts';
import { browser } from '#test/support/edge.ts';

const previewers = [
  'WhatsApp/2.23.20.0 A',
  'GoogleMessages/20',
  'DingTalkBot-LinkService/1.0 (+https://open-doc.dingtalk.com/microapp/faquestions/ftpfeu)',
  'LarkUrl2Service/1.0',
  'GroupMeBot/1.0',
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
  'TelegramBot (like TwitterBot)',
  // iMessage's.
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0',
  'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com',
  'http.rb/5.1.1 (Mastodon/4.2.1; +https://mastodon.social/) Bot',
  'Synapse (bot; +https://github.com/matrix-org/synapse)',
  'Mozilla/5.0 (compatible; Pinterestbot/1.0; +http://www.pinterest.com/bot.html)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; MicrosoftPreview/2.0; +https://aka.ms/MicrosoftPreview) Chrome/120.0.0.0 Safari/537.36',
  'Discourse Forum Onebox v3.2',
  'Misskey/2024.11.0 (https://misskey.example)',
  'Akkoma 3.13.2; https://akkoma.example <admin@akkoma.example>; Bot',
  'PeerTube/6.3.0 (+https://peertube.example)',
];
const bots = [
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)',
  'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)',
  'Pingdom.com_bot_version_1.4_(http://www.pingdom.com/)',
  'Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/538.1 (KHTML, like Gecko) PingdomTMS/2.2',
  'StatusCake',
  'Mozilla/5.0 (compatible; Better Stack Better Uptime Bot; https://uptime.betterstack.com)',
  'Amazon-Route53-Health-Check-Service (ref 1; report http://amzn.to/1vsZADi)',
  'check_http/v2.3.3 (monitoring-plugins 2.3.3)',
  'python-requests/2.31.0',
  'Go-http-client/1.1',
  'okhttp/4.12.0',
  'Mozilla/4.0 (compatible; ms-office; MSOffice 16)',
  'node',
  'Java/17.0.9',
  'Apache-HttpClient/4.5.14 (Java/17.0.9)',
  'libwww-perl/6.67',
  'PHP/8.2',
  'PostmanRuntime/7.36.0',
  'Dart/3.2 (dart:io)',
  'Bun/1.0',
  'Dalvik/2.1.0 (Linux; U; Android 13; Pixel 6 Build/TQ3A)',
  'Shop/1 CFNetwork/1474 Darwin/23.0.0',
  'Shop/2.1 (com.example.shop; build:1; iOS 17.0.0) Alamofire/5.8.1',
  'Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.22621.1',
  'Mozilla/5.0 (compatible; Nagios)',
  'Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/22.1.0',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/538.1 (KHTML, like Gecko) PhantomJS/2.1.1 Safari/538.1',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/121.0.0.0 Safari/537.36 Playwright/1.40',
  'Mozilla/5.0 (Linux; Android 6.0.1; Moto G (4)) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/109.0.0.0 Mobile Safari/537.36 Chrome-Lighthouse',
];
const persons = [
  '',
  'Mozilla/5.0',
  browser,
  'Wget/1.21.4',
  'Wget2/2.1.0',
  'curl/8.5.0',
  'HTTPie/3.2.2',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [FBAN/FBIOS;FBAV/440.0.0.33.116;FBBV/537]',
  'Mozilla/5.0 (Linux; Android 13; SM-S901B Build/TP1A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/119.0 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/440.0;]',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 302.0.0.23.113',
  'Mozilla/5.0 (Linux; Android 10; CUBOT X30) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/116.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [Pinterest/iOS]',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_1_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Mobile/15E148 Safari/604.1 Snapchat/12.60.0.30 (like Safari/8617.1.17, panda)',
  'Mozilla/5.0 (Linux; Android 13; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/118 Mobile Safari/537.36 musical_ly_2023109040 BytedanceWebview/d8a21c6',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Slack/4.35.131 Chrome/118 Electron/27 Safari/537.36',
  'Lynx/2.8.9rel.1 libwww-FM/2.14 SSL-MM/1.4.1',
  'Opera/9.80 (J2ME/MIDP; Opera Mini/9.80 (S60; SymbOS; Opera Mobi/23.348/28.2647; U; en) Presto/2.5.25 Version/10.54',
  'Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2; Trident/6.0)',
  'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; Win64; x64; Trident/7.0; .NET4.0C; .NET4.0E; ms-office)',
  'Mozilla/5.0 (Linux; Android 13) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/119 Mobile Safari/537.36 GoogleApp/14',
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36 Reddit/Version 2023.45.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Twitter for iPhone/10.19',
];

describe('the sender of a user agent (4.10)', () => {
  test.each(previewers)('%s builds previews', (userAgent) => {
    expect(botOf(userAgent)).toEqual({ kind: 'preview', reason: 'link-preview' });
  });

  test.each(bots)('%s is a bot', (userAgent) => {
    expect(botOf(userAgent)?.kind).toMatch(/^(?:crawler|tool)$/);
  });

  test.each([
    ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'crawler', 'search-engine'],
    [
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
      'crawler',
      'ai-crawler',
    ],
    ['Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)', 'crawler', 'other-crawler'],
    ['BarracudaCentral.org bot', 'scanner', 'security-scanner'],
    ['Mozilla/5.0 (compatible; CensysInspect/1.1; +https://about.censys.io/)', 'scanner', 'security-scanner'],
    ['GoogleStackdriverMonitoring-UptimeChecks(https://cloud.google.com/monitoring)', 'tool', 'monitor'],
    ['Mozilla/5.0 (compatible; Better Stack Better Uptime Bot; https://uptime.betterstack.com)', 'tool', 'monitor'],
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0.0.0 Safari/537.36',
      'tool',
      'headless-browser',
    ],
    ['python-requests/2.31.0', 'tool', 'http-library'],
  ])('%s is a bot of kind %s, by %s', (userAgent, kind, reason) => {
    expect(botOf(userAgent)).toEqual({ kind, reason });
  });

  test.each(persons)('%s is a person', (userAgent) => {
    expect(botOf(userAgent)).toBeUndefined();
  });

  test('tools run by hand are named', () => {
    expect(['curl/8.5.0', 'Wget/1.21.4', 'HTTPie/3.2.2', browser].map(commandLineTool)).toEqual([
      'curl',
      'wget',
      'httpie',
      undefined,
    ]);
  });
});

test.each([
  [{ 'sec-purpose': 'prefetch' }, true],
  [{ 'sec-purpose': 'prefetch;prerender' }, true],
  [{ 'sec-purpose': 'prefetch;anonymous-client-ip' }, true],
  [{ purpose: 'prefetch' }, true],
  [{ 'x-moz': 'prefetch' }, true],
  [{ 'x-purpose': 'preview' }, true],
  [{ 'sec-purpose': 'navigate' }, false],
  [{ 'sec-fetch-mode': 'navigate' }, false],
  [{}, false],
])('%j only fetches ahead: %s', (headers, expected) => {
  expect(isPrefetch(headers)).toBe(expected);
});
