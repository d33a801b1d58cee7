import { defineEntity, p } from '@mikro-orm/core';

/** What is known once per database: `secret-fingerprint`, which SECRET_KEY it is sealed with. */
export const InstallationValue = defineEntity({
  name: 'InstallationValue',
  tableName: 'installation',
  properties: {
    key: p.text().primary(),
    value: p.json<unknown>(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
  },
});
