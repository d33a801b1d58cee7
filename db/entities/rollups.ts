import { defineEntity, p } from '@mikro-orm/core';

/**
 * Clicks of an organization on a day (UTC), by quarters of an hour, 1 to 96, added to at ingest. The array reaches from the
 * first to the last quarter that had clicks; null: none.
 */
export const ClickDay = defineEntity({
  name: 'ClickDay',
  tableName: 'click_days',
  properties: {
    organizationId: p.uuid().primary(),
    day: p.date().primary(),
    quarters: p.array().columnType('int[]'),
  },
});

/**
 * A day whose first `quarters` were counted by value, into `click_values`; it had `clicks` clicks until then. `unrolled` has
 * a bit for each dimension with too many values.
 */
export const ClickRoll = defineEntity({
  name: 'ClickRoll',
  tableName: 'click_rolls',
  properties: {
    organizationId: p.uuid().primary(),
    day: p.date().primary(),
    quarters: p.integer(),
    clicks: p.integer(),
    unrolled: p.integer(),
  },
});

const valueProperties = {
  organizationId: p.uuid().primary(),
  dimension: p.smallint().primary(),
  day: p.date().primary(),
  groups: p.array().columnType('text[]'),
  counts: p.array().columnType('int[]'),
};

/** Clicks of a rolled day by the values of a dimension: `counts` in the order of `groups`; clicks without a value are left out. */
export const ClickValue = defineEntity({
  name: 'ClickValue',
  tableName: 'click_values',
  properties: valueProperties,
});

/** A week (UTC, `day` is its Monday) of which the days' counts by value were added up; it had `clicks` clicks then. `unrolled`: as of days. */
export const ClickWeekRoll = defineEntity({
  name: 'ClickWeekRoll',
  tableName: 'click_week_rolls',
  properties: {
    organizationId: p.uuid().primary(),
    day: p.date().primary(),
    clicks: p.integer(),
    unrolled: p.integer(),
  },
});

/** Clicks of such a week by the values of a dimension, as of days. */
export const ClickWeekValue = defineEntity({
  name: 'ClickWeekValue',
  tableName: 'click_week_values',
  properties: valueProperties,
});

/** A deleted link whose clicks statistics leave out; its last row to be removed. */
export const HiddenLink = defineEntity({
  name: 'HiddenLink',
  tableName: 'hidden_links',
  properties: {
    organizationId: p.uuid().primary(),
    linkId: p.uuid().primary(),
    /** The deletion that removes it; null: none. */
    purgeId: p.uuid().nullable(),
  },
  indexes: [
    {
      name: 'hidden_links_purge_id_idx',
      properties: ['purgeId', 'linkId'],
      where: 'purge_id is not null',
    },
  ],
});
