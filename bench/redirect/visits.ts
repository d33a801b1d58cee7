import { checkClicks } from '#bench/lib/clicks.ts';
import { linkHost } from '#bench/lib/database.ts';
import type { Run } from '#bench/lib/interleave.ts';
import { type Visits, visitScript } from '#bench/lib/lua.ts';
import type { Target } from '#bench/lib/stage.ts';
import type { RedirectStage } from './stage.ts';

/** Visitors of a server. */
interface VisitRun extends Omit<Visits, 'host'> {
  target: Target;
  name?: string;
  connections?: number;
  /** Whether the visitors' answers are compared with the clicks in the database. */
  isChecked?: boolean;
}

/** Connections that visits come on at once. */
export const manyConnections = 64;

/** A run of visits for `interleave`. */
export function visitRun(
  { database }: RedirectStage,
  { target, name = target.name, connections = manyConnections, isChecked = false, ...visits }: VisitRun,
): Run {
  const { url } = target;
  return {
    name,
    load: { url, connections, script: visitScript({ host: linkHost, ...visits }), goesFirst: true },
    check: isChecked ? (seen) => checkClicks(database.db, url, seen, connections) : undefined,
  };
}
