import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '#core/errors/errors.ts';

/** Holds off pages of other sites, whose calls a browser would send with the user's cookie. */
interface OriginCheck {
  /** Demands an `Origin` that is the API's own. @throws AppError FORBIDDEN. */
  require(headers: IncomingHttpHeaders): void;
  /** Demands that `Origin` and `Sec-Fetch-Site`, as far as a browser sends them, are of the API's own. @throws AppError FORBIDDEN. */
  requireIfSent(headers: IncomingHttpHeaders): void;
}

/** Makes the check of an API at `baseUrl`. */
export function createOriginCheck(baseUrl: string): OriginCheck {
  const { origin: own, protocol } = new URL(baseUrl);
  // Whoever came by another name of the API, such as its address, is on a page of that name: no page chooses its Host.
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
