import type { IncomingHttpHeaders } from 'node:http';
import Bowser from 'bowser';
import type { Device } from '#commands/accounts/sessions.ts';
import { createDeviceCookie } from './cookie.ts';

const longestHeader = 512;
const longestName = 60;

/** Reads the browser and the system of a call, as its User-Agent header names them, and the token by which the browser is known. */
export function createDeviceReader(baseUrl: string): (headers: IncomingHttpHeaders) => Device {
  const cookie = createDeviceCookie(baseUrl);
  return (headers) => ({ ...readAgent(headers['user-agent']), token: cookie.read(headers.cookie) });
}

function readAgent(userAgent: string | undefined): Pick<Device, 'browser' | 'os'> {
  if (!userAgent) return { browser: null, os: null };
  const parser = Bowser.getParser(userAgent.slice(0, longestHeader));
  return { browser: shorten(parser.getBrowserName()), os: shorten(parser.getOSName()) };
}

function shorten(name: string | undefined): string | null {
  // The name of an unknown browser is what the header says.
  const printable = (name ?? '').replaceAll(/[^\x20-\x7e]/g, '').trim();
  return printable === '' ? null : printable.slice(0, longestName);
}
