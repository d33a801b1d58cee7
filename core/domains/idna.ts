// Only what browsers have too: the console reads host names by these functions, `node:url` has others of the same results.

/**
 * The host that a text names, as URLs hold it (WHATWG URL, domain to ASCII): lower-case punycode; empty where it names none.
 * What ends a host in a URL ends it here.
 */
export function toAsciiHost(text: string): string {
  const host = readHost('x', text);
  // A host that is refused leaves the one that was there before.
  return host === 'x' && readHost('y', text) === 'y' ? '' : host;
}

function readHost(before: string, text: string): string {
  const url = new URL(`ws://${before}`);
  url.hostname = text;
  return url.hostname;
}

// Parameters of RFC 3492 §5.
const base = 36;
const damp = 700;
const skew = 38;
const firstBias = 72;
const firstCodePoint = 128;
const tMin = 1;
const tMax = 26;

/**
 * Decodes punycode in lower case, without `xn--` (RFC 3492 §6.2); undefined where it is none. The result is only decoded, not
 * checked to be a label.
 */
export function decodePunycode(encoded: string): string | undefined {
  const delimiter = encoded.lastIndexOf('-');
  const points = Array.from(encoded.slice(0, Math.max(0, delimiter)), (character) => character.charCodeAt(0));
  let codePoint = firstCodePoint;
  let bias = firstBias;
  let index = 0;
  for (let at = delimiter + 1; at < encoded.length;) {
    const before = index;
    let weight = 1;
    for (let k = base; ; k += base) {
      const digit = Number.parseInt(encoded[at] ?? '', base);
      if (Number.isNaN(digit)) return undefined;
      at += 1;
      // `parseInt` counts 0 to 9 before a to z, punycode after them.
      const value = digit < 10 ? digit + 26 : digit - 10;
      index += value * weight;
      const threshold = Math.min(tMax, Math.max(tMin, k - bias));
      if (value < threshold) break;
      weight *= base - threshold;
      if (weight > 0x7fff_ffff) return undefined;
    }
    const length = points.length + 1;
    bias = adapt(index - before, length, before === 0);
    codePoint += Math.floor(index / length);
    if (codePoint > 0x10_ffff) return undefined;
    index %= length;
    points.splice(index, 0, codePoint);
    index += 1;
  }
  return String.fromCodePoint(...points);
}

function adapt(delta: number, length: number, isFirst: boolean): number {
  let rest = Math.floor(isFirst ? delta / damp : delta / 2);
  rest += Math.floor(rest / length);
  let k = 0;
  for (; rest > ((base - tMin) * tMax) / 2; k += base) rest = Math.floor(rest / (base - tMin));
  return k + Math.floor(((base - tMin + 1) * rest) / (rest + skew));
}
