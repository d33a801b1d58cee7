import { AppError, tooMany } from '../core/errors.ts';
import { createFairGate, type FairGate } from '../core/fair-gate.ts';
import type { ApiDependencies } from './dependencies.ts';

/**
 * What tenants share of an API process besides rate limits, so that one of them cannot take all of it. Each is a gate by
 * organization; other processes have gates of their own.
 */
export interface Shares {
  /** Hashing of passwords: of links by organization (`organizationPath`), of people by the name of their address. */
  hashing: FairGate;
}

/** What routes are built from. */
export interface RouteDependencies extends ApiDependencies {
  shares: Shares;
}

const organizationPrefix = 'organization:';

/** The path of an organization through a gate that others than organizations go through too. */
export function organizationPath(organizationId: string): string[] {
  return [`${organizationPrefix}${organizationId}`];
}

// They share libuv's four threads with everything else that waits for a disk or a name.
const hashedAtOnce = 2;
// At some 50 ms each the last of them waits for 6 s.
const waitingForHash = 256;
// A company behind one address signs in at nine o'clock; a flood from one address is soon refused.
const waitingOfOne = 48;
const retryAfterSeconds = 2;

/** Makes the gates of an API process. */
export function createShares(): Shares {
  return {
    hashing: createFairGate({
      slots: hashedAtOnce,
      waiting: waitingForHash,
      waitingPerPath: waitingOfOne,
      refusal: ([name = '']) =>
        name.startsWith(organizationPrefix)
          ? tooMany('Too many passwords at once; try again in a moment.', retryAfterSeconds)
          : new AppError('SERVICE_UNAVAILABLE'),
    }),
  };
}
