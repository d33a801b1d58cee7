import { type GuardedHttp, GuardedHttpError } from './guarded-http.ts';

interface FetchOptions {
  method?: string | undefined;
  headers?: Record<string, string> | Headers | undefined;
  body?: unknown;
  signal?: AbortSignal | null | undefined;
}

/** A `fetch` by the guarded client, for libraries: redirects are not followed, and nothing but public addresses is called. */
export type GuardedFetch = (url: string, options: FetchOptions) => Promise<Response>;

export function createGuardedFetch(http: Pick<GuardedHttp, 'request'>, timeoutMs: number): GuardedFetch {
  return async (url, { method = 'GET', headers, body, signal }) => {
    const given = body instanceof URLSearchParams ? body.toString() : body;
    if (given !== null && given !== undefined && typeof given !== 'string')
      throw new TypeError('a body that is no text');
    const answer = await http.request({
      url,
      method,
      headers: {
        ...(headers instanceof Headers ? Object.fromEntries(headers.entries()) : headers),
        'accept-encoding': 'identity',
      },
      timeoutMs,
      ...(typeof given === 'string' ? { body: given } : {}),
      ...(signal ? { signal } : {}),
    });
    if (answer.isTruncated) throw new GuardedHttpError('protocol', 'The answer is too long.');
    const answered = Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    );
    const isEmpty = answer.status === 204 || answer.status === 304;
    return new Response(isEmpty ? null : new Uint8Array(answer.body), { status: answer.status, headers: answered });
  };
}
