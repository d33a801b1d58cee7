import { queryOptions } from '@tanstack/react-query';
import { call } from '#console/api/client.ts';

// A browser has six connections to the API by HTTP/1.1, and a site may take five seconds to answer: other calls need the rest.
const atOnce = 2;
const free: (() => void)[] = [];
let running = 0;

/** Runs after calls that were made before, two at a time. */
async function inTurn<T>(run: () => Promise<T>): Promise<T> {
  if (running >= atOnce) await new Promise<void>((resolve) => void free.push(resolve));
  else running += 1;
  try {
    return await run();
  } finally {
    const next = free.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

/** The icon of a site as the address of a picture; null: it has none. @param origin such as https://example.com. */
export function siteIconQuery(origin: string) {
  return queryOptions({
    queryKey: ['site-icon', origin],
    staleTime: Infinity,
    gcTime: Infinity,
    retry: false,
    queryFn: () =>
      inTurn(async () => {
        const icon = await call<Blob | undefined>('GET', '/link-preview/icon', { query: { url: origin } });
        return icon === undefined ? null : URL.createObjectURL(icon);
      }),
  });
}
