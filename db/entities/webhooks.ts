import { defineEntity, p } from '@mikro-orm/core';
import { Organization } from './people.ts';

/** Where an organization has events sent. Secrets are sealed; the previous one signs too until its end. Every one that is not deleted may later ask for what it has missed, so events are kept for it even while it is off. */
export const Webhook = defineEntity({
  name: 'Webhook',
  tableName: 'webhooks',
  properties: {
    id: p.uuid().primary(),
    organization: () => p.manyToOne(Organization).index('webhooks_organization_id_idx'),
    name: p.text().nullable(),
    url: p.text(),
    events: p.array(),
    isActive: p.boolean().default(true),
    secretSealed: p.blob(),
    previousSecretSealed: p.blob().nullable(),
    previousSecretUntil: p.datetime(3).nullable(),
    consecutiveFailures: p.integer().default(0),
    lastFailureAt: p.datetime(3).nullable(),
    disabledAt: p.datetime(3).nullable(),
    disabledReason: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
    deletedAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'webhooks_url_key', properties: ['organization', 'url'], where: 'deleted_at is null' }],
});
