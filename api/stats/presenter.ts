import { csvLine } from '#core/imports/csv.ts';
import { invalid } from '#core/errors/errors.ts';
import type { Site } from '#core/links/site.ts';
import { lastMs } from '#core/stats/stats.ts';
import type { Breakdown, ClickCursor, ClickView } from '#db/stats/query.ts';
import { type Click, clickFields, type Clicks, type Overview } from './schema.ts';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function presentOverview({ rows, total }: Breakdown, site: Site): Overview {
  return {
    data: rows.map(({ group, count, link }) => ({
      group,
      count,
      ...(link === undefined ? {} : { label: site.originUrl(link.domain, link.slug) }),
    })),
    totalClicks: total,
  };
}

/** @param clicks one more than `limit` where a next page follows. */
export function presentClicks(clicks: readonly ClickView[], limit: number): Clicks {
  const shown = clicks.slice(0, limit);
  return {
    data: shown.map(presentClick),
    nextCursor: clicks.length > limit ? toCursor(cursorOf(shown.at(-1)!)) : null,
  };
}

/** Clicks as lines of CSV. */
export function presentCsv(clicks: readonly ClickView[]): string {
  return clicks
    .map((click) => {
      const shown = presentClick(click);
      return csvLine(clickFields.map((field) => (shown[field] === null ? null : String(shown[field]))));
    })
    .join('');
}

/** The position of a click in the list. */
export function cursorOf({ clickedAt, id }: ClickView): ClickCursor {
  return { clickedAtMs: clickedAt.getTime(), id };
}

/** @throws AppError VALIDATION_ERROR for a cursor that is not the `nextCursor` of a page. */
export function parseCursor(cursor: string): ClickCursor {
  const [time = '', id = '', ...rest] = Buffer.from(cursor, 'base64url').toString('latin1').split(' ');
  const parsed = { clickedAtMs: Number(time), id };
  // Refuses spellings that base64url decodes to the same bytes.
  const isWhole = /^\d{1,15}$/.test(time) && parsed.clickedAtMs <= lastMs && uuid.test(id) && rest.length === 0;
  if (!isWhole || toCursor(parsed) !== cursor) throw invalid('cursor', 'must be the nextCursor of a page');
  return parsed;
}

function toCursor({ clickedAtMs, id }: ClickCursor): string {
  return Buffer.from(`${clickedAtMs} ${id}`, 'latin1').toString('base64url');
}

function presentClick(click: ClickView): Click {
  return { ...click, clickedAt: click.clickedAt.toISOString() };
}
