import { defineEntity, p } from '@mikro-orm/core';

/** What the hashes of a month's visitors are keyed with (5.2): random, and destroyed two days after the month. */
export const VisitorKey = defineEntity({
  name: 'VisitorKey',
  tableName: 'visitor_keys',
  properties: {
    /** `YYYY-MM`, UTC. */
    month: p.text().primary(),
    key: p.blob().hidden(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});
