import { csvLine } from '#core/imports/csv.ts';
import type { Site } from '#core/links/site.ts';
import type { Position } from '#db/connection/paging.ts';
import type { Breakdown, ClickView } from '#db/stats/query.ts';
import { toCursor } from '#api/cursor.ts';
import { type Click, clickFields, type Clicks, type Overview } from './schema.ts';

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
    nextCursor: clicks.length > limit ? toCursor(positionOf(shown.at(-1)!)) : null,
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
export function positionOf({ clickedAt, id }: ClickView): Position {
  return { atMs: clickedAt.getTime(), id };
}

function presentClick(click: ClickView): Click {
  return { ...click, clickedAt: click.clickedAt.toISOString() };
}
