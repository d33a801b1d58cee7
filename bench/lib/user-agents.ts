const windows = 'Windows NT 10.0; Win64; x64';
const mac = 'Macintosh; Intel Mac OS X 10_15_7';
const linux = 'X11; Linux x86_64';
const blink = (system: string, tail: string): string =>
  `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${tail}`;
const firefox = (system: string, version: number): string =>
  `Mozilla/5.0 (${system}; rv:${version}.0) Gecko/20100101 Firefox/${version}.0`;
const webkit = (system: string, tail: string): string =>
  `Mozilla/5.0 (${system}) AppleWebKit/605.1.15 (KHTML, like Gecko) ${tail}`;

const desktops = [windows, mac, linux, 'X11; CrOS x86_64 14541.0.0'];
const telephones = ['10; K', '13; SM-A536B', '14; Pixel 8', '15; Pixel 9 Pro', '12; M2101K6G'];
const iOs = [
  'iPhone; CPU iPhone OS 16_7_10',
  'iPhone; CPU iPhone OS 17_6_1',
  'iPhone; CPU iPhone OS 18_3',
  'iPad; CPU OS 17_7',
];

/** User agents of browsers that people use, 45: computers, telephones, tablets and a television. */
export const userAgents: readonly string[] = [
  ...desktops.flatMap((system) => [120, 126, 131].map((version) => blink(system, `${version}.0.0.0 Safari/537.36`))),
  ...[120, 131, 133].map((version) => blink(windows, `${version}.0.0.0 Safari/537.36 Edg/${version}.0.0.0`)),
  blink(windows, '130.0.0.0 Safari/537.36 OPR/115.0.0.0'),
  blink(linux, '128.0.0.0 Safari/537.36 Vivaldi/6.9.3447.48'),
  ...[windows, mac, linux].flatMap((system) => [115, 128, 134].map((version) => firefox(system, version))),
  firefox('Android 14; Mobile', 133),
  ...['16.6', '17.6', '18.1'].map((version) => webkit(mac, `Version/${version} Safari/605.1.15`)),
  ...iOs.map((system) => webkit(`${system} like Mac OS X`, 'Version/17.6 Mobile/15E148 Safari/604.1')),
  ...['CriOS/131.0.6778.73', 'FxiOS/133.0'].map((name) =>
    webkit('iPhone; CPU iPhone OS 18_1 like Mac OS X', `${name} Mobile/15E148 Safari/604.1`),
  ),
  ...telephones.map((device) => blink(`Linux; Android ${device}`, '131.0.0.0 Mobile Safari/537.36')),
  blink('Linux; Android 14; SAMSUNG SM-S921B', '122.0.0.0 Mobile Safari/537.36 SamsungBrowser/26.0'),
  blink('Linux; Android 13; SM-X710', '131.0.0.0 Safari/537.36'),
  blink('Linux; Android 10; K', '130.0.0.0 Mobile Safari/537.36 OPR/85.0.0.0'),
  blink('SMART-TV; LINUX; Tizen 7.0', '94.0.4606.31 TV Safari/537.36'),
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
];
