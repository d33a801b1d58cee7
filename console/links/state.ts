import type { ShortLinkItem } from '#console/api/types.ts';
import type { FilterState } from './search.ts';

/** The state of a link: one by which lists filter, or a further one that decides what visitors get. */
type LinkState = FilterState | 'takenDown' | 'flagged' | 'checking';

type Stateful = Pick<
  ShortLinkItem,
  'takenDown' | 'isActive' | 'isArchived' | 'expiresAt' | 'maxClicks' | 'currentClicks'
> & {
  destination: { threatTypes: readonly string[] | null };
};

/** What visitors meet, as one word. @param now the moment it is asked for. */
export function stateOf(link: Stateful, now: Date): LinkState {
  if (link.takenDown !== null) return 'takenDown';
  if (link.isArchived) return 'archived';
  if (!link.isActive) return 'inactive';
  if (link.expiresAt !== null && new Date(link.expiresAt) <= now) return 'expired';
  if (link.maxClicks !== null && link.currentClicks >= link.maxClicks) return 'capped';
  if ((link.destination.threatTypes?.length ?? 0) > 0) return 'flagged';
  if (link.destination.threatTypes === null) return 'checking';
  return 'active';
}

export const stateTones = {
  takenDown: 'bad',
  archived: 'quiet',
  inactive: 'quiet',
  expired: 'warn',
  capped: 'warn',
  flagged: 'bad',
  checking: 'accent',
  active: 'good',
} as const satisfies Record<LinkState, string>;
