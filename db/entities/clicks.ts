import { defineEntity, p } from '@mikro-orm/core';

/**
 * Clicks of a link so far, added up at ingest, and the moment of the latest one. Apart from `short_links`, and without a foreign key, so that ingest stays cheap.
 */
export const LinkCounter = defineEntity({
  name: 'LinkCounter',
  tableName: 'link_counters',
  properties: {
    linkId: p.uuid().primary(),
    clicks: p.bigint('number').defaultRaw('0'),
    lastClickedAt: p.datetime(3).nullable(),
  },
});

/** Clicks granted under a link's cap, which is `short_links.max_clicks`. */
export const LinkCap = defineEntity({
  name: 'LinkCap',
  tableName: 'link_caps',
  properties: {
    linkId: p.uuid().primary(),
    granted: p.bigint('number').defaultRaw('0'),
    setAt: p.datetime(3).nullable(),
  },
});

/**
 * How far an edge process's journal has been ingested: bytes `position` of segment number `segment`. A planned end beyond it is that of a
 * batch that ClickHouse may have.
 */
export const Journal = defineEntity({
  name: 'Journal',
  tableName: 'journals',
  properties: {
    id: p.uuid().primary(),
    segment: p.integer().default(1),
    position: p.bigint('number').defaultRaw('0'),
    ingested: p.bigint('number').defaultRaw('0'),
    rejected: p.bigint('number').defaultRaw('0'),
    dropped: p.bigint('number').defaultRaw('0'),
    openedAt: p.datetime(3).defaultRaw('now()'),
    ingestedAt: p.datetime(3).defaultRaw('now()'),
    finishedAt: p.datetime(3).nullable(),
    countedAt: p.datetime(3).nullable(),
    plannedSegment: p.integer().nullable(),
    plannedPosition: p.bigint('number').nullable(),
  },
});

const clickProperties = {
  id: p.uuid().primary(),
  clickedAt: p.datetime(3),
  organizationId: p.uuid(),
  linkId: p.uuid(),
  domainId: p.uuid(),
  folderId: p.uuid(),
  tagIds: p.array().columnType('uuid[]'),
  country: p.text().nullable(),
  region: p.text().nullable(),
  city: p.text().nullable(),
  continent: p.text().nullable(),
  lang: p.text().nullable(),
  device: p.text(),
  browser: p.text().nullable(),
  os: p.text().nullable(),
  referer: p.text().nullable(),
  utmSource: p.text().nullable(),
  utmMedium: p.text().nullable(),
  utmCampaign: p.text().nullable(),
  utmTerm: p.text().nullable(),
  utmContent: p.text().nullable(),
  isQrCode: p.boolean(),
  destination: p.text(),
  visitor: p.blob(),
};

/**
 * A click, derived fields only; null: unknown. The table is partitioned by month, without foreign keys and without a
 * primary key in the database: ingest must stay one COPY.
 */
export const Click = defineEntity({
  name: 'Click',
  tableName: 'clicks',
  properties: clickProperties,
  indexes: [
    { name: 'clicks_link_id_idx', properties: ['linkId', 'clickedAt'] },
    {
      name: 'clicks_organization_id_idx',
      properties: ['organizationId', 'clickedAt'],
      include: ['visitor', 'linkId'],
    },
    { name: 'clicks_clicked_at_idx', properties: ['clickedAt'], type: 'brin' },
  ],
});

/** A visit of a bot (5.10), with the fields of a click; counted nowhere, and kept for a month by default. */
export const BotClick = defineEntity({
  name: 'BotClick',
  tableName: 'bot_clicks',
  properties: { ...clickProperties, agentKind: p.text(), agentReason: p.text() },
  indexes: [
    { name: 'bot_clicks_clicked_at_idx', properties: ['clickedAt'], type: 'brin' },
    { name: 'bot_clicks_link_id_idx', properties: ['linkId'] },
    { name: 'bot_clicks_organization_id_idx', properties: ['organizationId', 'clickedAt'] },
  ],
});

/** Key of the visitor hashes of a month: random, and destroyed two days after the month. */
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
