import type { ShortLinkItem } from '#console/api/types.ts';

/** States of a link in the order in which one hides the next. */
export const linkStates = ['takenDown', 'archived', 'off', 'expired', 'capped', 'flagged', 'checking', 'on'] as const;
/** A link's state as the console names it. */
export type LinkState = (typeof linkStates)[number];

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
  if (!link.isActive) return 'off';
  if (link.expiresAt !== null && new Date(link.expiresAt) <= now) return 'expired';
  if (link.maxClicks !== null && link.currentClicks >= link.maxClicks) return 'capped';
  if ((link.destination.threatTypes?.length ?? 0) > 0) return 'flagged';
  if (link.destination.threatTypes === null) return 'checking';
  return 'on';
}

/** Colour of a state's chip. */
export const stateTones = {
  takenDown: 'bad',
  archived: 'quiet',
  off: 'quiet',
  expired: 'warn',
  capped: 'warn',
  flagged: 'bad',
  checking: 'accent',
  on: 'good',
} as const satisfies Record<LinkState, string>;
