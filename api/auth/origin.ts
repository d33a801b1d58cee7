import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '#core/errors/errors.ts';

/** Refuses cross-site calls, which a browser would send with the user's cookie. */
interface OriginCheck {
  /** Requires the API's own `Origin`. @throws AppError FORBIDDEN. */
  require(headers: IncomingHttpHeaders): void;
  /** Requires that `Origin` and `Sec-Fetch-Site`, where they are sent, are the API's own. @throws AppError FORBIDDEN. */
  requireIfSent(headers: IncomingHttpHeaders): void;
}

export function createOriginCheck(baseUrl: string): OriginCheck {
  const { origin: own, protocol } = new URL(baseUrl);
  // A page that was loaded under another name of the API, such as its IP address, counts as own: no page chooses its Host.
  const isOwn = ({ origin, host }: IncomingHttpHeaders): boolean =>
    origin === own || (host !== undefined && origin === `${protocol}//${host}`);
  const refuse = (): never => {
    throw new AppError('FORBIDDEN', `This call must come from a page of ${own}: its Origin is missing or another.`);
  };
  return {
    require(headers) {
      if (!isOwn(headers)) refuse();
    },
    requireIfSent(headers) {
      const { origin, 'sec-fetch-site': site } = headers;
      if ((origin !== undefined && !isOwn(headers)) || (site !== undefined && site !== 'same-origin')) refuse();
    },
  };
}
