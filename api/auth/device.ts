import Bowser from 'bowser';
import type { Device } from '#commands/organizations/sessions.ts';

const longestHeader = 512;
const longestName = 60;

/** The browser and the system of a call, as its User-Agent header names them. */
export function readDevice(userAgent: string | undefined): Device {
  if (!userAgent) return { browser: null, os: null };
  const parser = Bowser.getParser(userAgent.slice(0, longestHeader));
  return { browser: shorten(parser.getBrowserName()), os: shorten(parser.getOSName()) };
}

function shorten(name: string | undefined): string | null {
  // The name of an unknown browser is what the header says.
  const printable = (name ?? '').replaceAll(/[^\x20-\x7e]/g, '').trim();
  return printable === '' ? null : printable.slice(0, longestName);
}
