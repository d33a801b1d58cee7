import { defineEntity, p } from '@mikro-orm/core';
import type { ThreatType } from '#core/threats/types.ts';

/**
 * A list of hash prefixes of Web Risk. `version` grows with each change of its prefixes. `versionToken` is what Web Risk asks
 * back for the next changes; null: the whole list is asked for. `nextDiffAt` is when changes are asked for next.
 */
export const ThreatList = defineEntity({
  name: 'ThreatList',
  tableName: 'threat_lists',
  properties: {
    threatType: p.text().$type<ThreatType>().primary(),
    version: p.integer(),
    versionToken: p.blob().nullable(),
    checksum: p.blob(),
    entries: p.integer(),
    changedAt: p.datetime(3),
    checkedAt: p.datetime(3),
    nextDiffAt: p.datetime(3),
  },
});

/** Some prefixes of one size of a list, sorted, one after the other. */
export const ThreatListChunk = defineEntity({
  name: 'ThreatListChunk',
  tableName: 'threat_list_chunks',
  primaryKeys: ['threatType', 'version', 'position'],
  properties: {
    threatType: p.text().$type<ThreatType>().primary(),
    version: p.integer().primary(),
    position: p.integer().primary(),
    prefixSize: p.smallint(),
    prefixes: p.blob(),
  },
});
