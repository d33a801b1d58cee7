const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)';
const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)';
const linux = 'Mozilla/5.0 (X11; Linux x86_64)';
const blink = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const webkit = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';

const chrome = (system: string, version: number): string => `${system} ${blink} Chrome/${version}.0.0.0 Safari/537.36`;
const android = (device: string, version: number): string =>
  `Mozilla/5.0 (Linux; Android ${device}) ${blink} Chrome/${version}.0.0.0 Mobile Safari/537.36`;
const firefox = (system: string, version: number): string =>
  `Mozilla/5.0 (${system}; rv:${version}.0) Gecko/20100101 Firefox/${version}.0`;
const safari = (device: string, version: string): string =>
  `Mozilla/5.0 (${device} like Mac OS X) ${webkit} Version/${version} Mobile/15E148 Safari/604.1`;

/** User agents of browsers that people use: computers, telephones, tablets and a television. */
export const userAgents: readonly string[] = [
  ...[109, 120, 126, 131, 134].map((version) => chrome(windows, version)),
  ...[124, 131, 133].map((version) => chrome(mac, version)),
  ...[125, 132].map((version) => chrome(linux, version)),
  chrome('Mozilla/5.0 (X11; CrOS x86_64 14541.0.0)', 131),
  ...[120, 131, 133].map((version) => `${chrome(windows, version)} Edg/${version}.0.0.0`),
  `${chrome(mac, 131)} Edg/131.0.0.0`,
  `${chrome(windows, 130)} OPR/115.0.0.0`,
  `${chrome(linux, 128)} Vivaldi/6.9.3447.48`,
  ...[115, 128, 133, 135].map((version) => firefox('Windows NT 10.0; Win64; x64', version)),
  firefox('Macintosh; Intel Mac OS X 10.15', 133),
  ...[128, 134].map((version) => firefox('X11; Ubuntu; Linux x86_64', version)),
  'Mozilla/5.0 (Android 14; Mobile; rv:133.0) Gecko/133.0 Firefox/133.0',
  ...['16.6', '17.6', '18.1'].map((version) => `${mac} ${webkit} Version/${version} Safari/605.1.15`),
  safari('iPhone; CPU iPhone OS 16_7_10', '16.6'),
  safari('iPhone; CPU iPhone OS 17_6_1', '17.6'),
  safari('iPhone; CPU iPhone OS 18_1', '18.1'),
  safari('iPhone; CPU iPhone OS 18_3', '18.3'),
  safari('iPad; CPU OS 15_8_3', '15.6.6'),
  safari('iPad; CPU OS 17_7', '17.7'),
  `Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ${webkit} CriOS/131.0.6778.73 Mobile/15E148 Safari/604.1`,
  `Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) ${webkit} FxiOS/133.0 Mobile/15E148 Safari/605.1.15`,
  ...['10; K', '13; SM-A536B', '14; Pixel 8', '15; Pixel 9 Pro'].map((device) => android(device, 131)),
  android('12; M2101K6G', 124),
  `Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-S921B) ${blink} SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36`,
  `Mozilla/5.0 (Linux; Android 13; SM-X710) ${blink} Chrome/131.0.0.0 Safari/537.36`,
  `Mozilla/5.0 (Linux; Android 10; K) ${blink} Chrome/130.0.0.0 Mobile Safari/537.36 OPR/85.0.0.0`,
  `Mozilla/5.0 (SMART-TV; LINUX; Tizen 7.0) ${blink} Version/7.0 TV Safari/537.36`,
];

/** Accept-Language headers as browsers send them. */
export const languages: readonly string[] = [
  'en-US,en;q=0.9',
  'en-GB,en-US;q=0.9,en;q=0.8',
  'de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7',
  'fr-FR,fr;q=0.9,en;q=0.8',
  'es-ES,es;q=0.9',
  'pt-BR,pt;q=0.9,en-US;q=0.8,en;q=0.7',
  'ja,en-US;q=0.7,en;q=0.3',
  'zh-CN,zh;q=0.9',
  'it-IT,it;q=0.9,en-US;q=0.8',
  'nl-NL,nl;q=0.9,en;q=0.8',
  'pl,en-US;q=0.7,en;q=0.3',
];
