import { randomInt } from 'node:crypto';
import { languages, userAgents } from './user-agents.ts';

/** Paths that visitors request: one of these at random, each of these in turn, or slugs that do not exist. */
type Paths = { random: readonly string[] } | { inTurn: readonly string[] } | 'unknown';

/** Requests of visitors. */
export interface Visits {
  host: string;
  paths: Paths;
  /** Whether each visit takes a connection of its own. */
  isClosing?: boolean;
  /** Mean pause of a connection between two visits, in milliseconds; the pauses are random. */
  pauseMs?: number;
}

// Measured: wrk's timers count whole milliseconds, so a pause is this much longer than its script asks for.
const timerMs = 0.5;

/** The mean pause with which so many connections make so many requests a second. */
export const pauseFor = (perSecond: number, connections: number): number => (connections * 1_000) / perSecond - timerMs;

const referers = ['', '', 'Referer: https://www.example.com/\r\n', 'Referer: https://news.example.org/a?b=c\r\n'];

/**
 * Writes a script for wrk: visitors with browsers, languages and addresses of many kinds. Requests are prepared beforehand, so
 * that the client costs little.
 */
export function visitScript({ host, paths, isClosing = false, pauseMs }: Visits): string {
  const heads = userAgents.map((userAgent, index) =>
    [
      ` HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: ${userAgent}\r\n`,
      'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n',
      `Accept-Language: ${languages[index % languages.length]}\r\nAccept-Encoding: gzip, deflate, br\r\n`,
      referers[index % referers.length],
      isClosing ? 'Connection: close\r\n' : '',
      'X-Forwarded-For: ',
    ].join(''),
  );
  return `
${randomSeed()}
local heads = {${heads.map(quote).join(', ')}}
local octets = {}
for octet = 0, 255 do octets[octet + 1] = tostring(octet) end
local random = math.random
${slugLua(paths)}
function request()
  return "GET /" .. slug() .. heads[random(#heads)] .. octets[random(1, 223)] .. "." .. octets[random(256)] .. "." ..
    octets[random(256)] .. "." .. octets[random(256)] .. "\\r\\n\\r\\n"
end
${pauseMs === undefined ? '' : delayLua(pauseMs)}`;
}

/** Requests of clients that create. */
interface Creates {
  path: string;
  /** Body for the number `n`, a Lua expression. */
  body: string;
  headers: Record<string, string>;
}

/** Writes a script for wrk: POST requests, each with a body of its own. */
export function createScript({ path, body, headers }: Creates): string {
  const all = Object.entries({ Host: '127.0.0.1', 'Content-Type': 'application/json', ...headers });
  const head = `POST ${path} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join('')}Content-Length: `;
  return `
local run = ${randomInt(2 ** 40)}
local n = 0
local head = ${quote(head)}
local function body(n) return ${body} end
function request()
  n = n + 1
  local text = body(n)
  return head .. #text .. "\\r\\n\\r\\n" .. text
end
`;
}

function slugLua(paths: Paths): string {
  if (paths === 'unknown') return `local function slug() return "no" .. random(1e9) .. "-" .. random(1e9) end`;
  const names = 'random' in paths ? paths.random : paths.inTurn;
  const next = 'random' in paths ? 'return slugs[random(#slugs)]' : 'turn = turn % #slugs + 1\n  return slugs[turn]';
  // One literal: a table of so many strings exceeds Lua's limit of constants.
  return `
local slugs = {}
for name in (${quote(names.join(' '))}):gmatch("%S+") do slugs[#slugs + 1] = name end
local turn = 0
local function slug()
  ${next}
end`;
}

/** Exponentially distributed pauses, as of independent visitors. */
function delayLua(meanMs: number): string {
  return `function delay() return math.floor(-math.log(1 - math.random()) * ${meanMs} + 0.5) end\n`;
}

function randomSeed(): string {
  return `math.randomseed(${randomInt(2 ** 31)})`;
}

/** A string of Lua. */
function quote(text: string): string {
  const escaped = text.replaceAll(/[\\"]/g, String.raw`\$&`).replaceAll('\r', String.raw`\r`);
  return `"${escaped.replaceAll('\n', String.raw`\n`)}"`;
}
