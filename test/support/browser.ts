import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

/** Whether there is a browser for this machine; the one that npm brings is for Linux on x64. */
export const hasBrowser = process.platform === 'linux' && process.arch === 'x64';

/** Starts a browser without a window that finds every name ending in `.example` on this machine. */
export async function startBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    // Not the package's own arguments: they switch off much of what the pages are to be held to.
    args: ['--no-sandbox', '--host-resolver-rules=MAP *.example 127.0.0.1', '--no-proxy-server'],
    headless: true,
  });
}
