import type { GuardedHttp, GuardedResponse } from './guarded-http.ts';

/** The answer at the end of redirects. */
interface FollowedAnswer {
  url: URL;
  answer: GuardedResponse;
  /** Whether the answer is a redirect still, because there were too many. */
  isUnfinished: boolean;
}

const maxHops = 5;
// Sites answer programs without these otherwise than browsers.
const pageHeaders = {
  accept: 'text/html,application/xhtml+xml',
  'accept-encoding': 'identity',
  'user-agent': 'Mozilla/5.0 (compatible; WaymarkBot/1.0)',
};

/**
 * Reads an address and follows up to 5 redirects. Each hop is guarded like the first.
 * @param timeoutMs for all hops together.
 * @throws GuardedHttpError where no complete answer came, or a redirect leads to no address.
 */
export async function follow(
  http: Pick<GuardedHttp, 'request'>,
  start: string,
  { timeoutMs, headers = {} }: { timeoutMs: number; headers?: Record<string, string> },
): Promise<FollowedAnswer> {
  const deadline = performance.now() + timeoutMs;
  let url = start;
  for (let hop = 0; ; hop += 1) {
    const answer = await http.request({
      url,
      method: 'GET',
      headers: { ...pageHeaders, ...headers },
      timeoutMs: Math.max(1, deadline - performance.now()),
    });
    const { location } = answer.headers;
    const isRedirect = answer.status >= 300 && answer.status < 400 && location !== undefined;
    if (!isRedirect || hop === maxHops) return { url: new URL(url), answer, isUnfinished: isRedirect };
    url = URL.parse(location, url)?.href ?? location;
  }
}
