import { defineQuery, setCurrentDetails, setHandler } from '@temporalio/workflow';
import type { ClickMove, MonthPlace, MoveActivities } from '#activities/clicks/move.ts';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';
import {
  activitiesOf,
  describeStart,
  endRun,
  goOn,
  requireActivityFailure,
  showInLists,
  turnPolicy,
} from '#workflows/shared.ts';

/** Of the one move that may run at a time. */
export const moveClicksId = 'move-clicks';

/** `different`: clicks of some organizations are not the same in both stores; `failed`: it ended before its work was done. */
type MoveClicksState = 'copying' | 'completed' | 'different' | 'failed';

/** The progress of a move. Clicks are bots' visits too. */
interface MoveClicksStatus {
  state: MoveClicksState;
  to: ClickMove['to'];
  /** Months whose clicks, or bots' visits, are copied. */
  months: number;
  /** Organizations of a month whose clicks were verified. */
  parts: number;
  copied: number;
  removed: number;
  /** Organizations of a month that are not the same, the first hundred: `clicks 2026-03 <organization>`. */
  different: string[];
}

/** Where an earlier run of the same move has come to. */
interface MoveProgress {
  status: Omit<MoveClicksStatus, 'state' | 'to'>;
  table: 'clicks' | 'bot_clicks';
  /** Undefined: not listed yet. */
  left?: string[];
  place: MonthPlace | null;
}

export const moveStatusQuery = defineQuery<MoveClicksStatus>('status');

/** How a move is started; one that runs already goes on. */
export function startOfMove(move: ClickMove): WorkflowStart {
  const [from, to] = move.to === 'clickhouse' ? ['PostgreSQL', 'ClickHouse'] : ['ClickHouse', 'PostgreSQL'];
  return describeStart({
    type: 'moveClicks',
    id: moveClicksId,
    input: move,
    summary: `${move.removes ? 'Move' : 'Copy'} clicks from ${from} to ${to}`,
    priority: 'background',
    name: `${from} to ${to}`,
    state: 'copying',
  });
}

/** A turn of some five minutes; a store that is away is waited for. */
const policy = turnPolicy('30m');

// Each turn is about six events of the history.
const maxHistoryLength = 1_000;
const mostDifferent = 100;
const nothing: MoveProgress = {
  status: { months: 0, parts: 0, copied: 0, removed: 0, different: [] },
  table: 'clicks',
  place: null,
};

/** Copies clicks, then bots' visits, month by month, the latest first; and removes what it has copied, where that is meant. */
export async function moveClicks(move: ClickMove, before: MoveProgress = nothing): Promise<MoveClicksStatus> {
  const { to } = move;
  const { status } = before;
  let state: MoveClicksState = 'copying';
  setHandler(moveStatusQuery, () => ({ ...status, state, to }), { description: 'How far the move has come.' });
  showInLists({ state });
  setCurrentDetails(describe(status));
  try {
    await copyAll();
  } catch (error) {
    const lastError = requireActivityFailure(error);
    state = 'failed';
    showInLists({ state, lastError });
    throw error;
  }
  state = status.different.length === 0 ? 'completed' : 'different';
  const wrong = state === 'completed' ? null : `not the same in both stores: ${status.different[0]}`;
  return endRun(state, wrong, { ...status, state, to });

  async function copyAll(): Promise<void> {
    const list = activitiesOf<MoveActivities>(policy, 'List the months').listMovedMonths;
    let { left, place } = before;
    for (const table of before.table === 'clicks' ? (['clicks', 'bot_clicks'] as const) : (['bot_clicks'] as const)) {
      left ??= await list({ ...move, table });
      for (let month = left[0]; month !== undefined; month = left[0]) {
        const { moveMonth } = activitiesOf<MoveActivities>(policy, `Copy ${table} of ${month}`);
        const { place: next, ...some } = await moveMonth({ ...move, table, month, place });
        place = next;
        status.parts += some.parts;
        status.copied += some.copied;
        status.removed += some.removed;
        const names = some.different.map((organizationId) => `${table} ${month} ${organizationId}`);
        status.different = [...status.different, ...names].slice(0, mostDifferent);
        if (place === null) {
          status.months += 1;
          left = left.slice(1);
        }
        setCurrentDetails(describe(status, `${table} of ${month}`));
        await goOn<typeof moveClicks>(maxHistoryLength, move, { status, table, left, place });
      }
      left = undefined;
    }
  }
}

function describe({ parts, copied, removed, different }: MoveProgress['status'], last?: string): string {
  const wrong = different.length === 0 ? '' : `, ${different.length} different`;
  const text = `${copied} copied, ${removed} removed; ${parts} parts verified${wrong}.`;
  return last === undefined ? text : `${text} Last: ${last}.`;
}
