import { get } from 'node:http';

/**
 * Whether an http URL answers with a status of 2xx within `timeoutMs`. By node:http, because the first `fetch` of a process loads 10 MB
 * that the supervisor of `npm start` would keep.
 */
export function isOk(url: string, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, signal: AbortSignal.timeout(timeoutMs) }, (response) => {
      response.resume();
      const { statusCode = 0 } = response;
      resolve(statusCode >= 200 && statusCode < 300);
    });
    request.on('error', () => resolve(false));
  });
}
