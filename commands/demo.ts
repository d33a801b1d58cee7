import { hashToken } from '../core/api-key.ts';
import { actions, type Permissions } from '../core/permissions.ts';
import { ApiKey } from '../db/entities/people.ts';
import { createOrm } from '../db/orm.ts';
import { createKey, createOrganization } from './organizations.ts';

/** The demo organization's key and its admin, who is staff too. */
export interface DemoCredentials {
  apiKey: string;
  adminEmail: string;
  adminPassword: string;
}

const demoPermissions: Permissions = {
  shortLinks: actions,
  domains: actions,
  stats: actions,
  files: actions,
  webhooks: actions,
};

/**
 * Makes the demo organization on first start: premium, with a bot key of all permissions but `apiKeys`. Known by its key,
 * so that another start, or one that was killed half-way, finds or completes it; a key revoked since stays revoked.
 */
export async function ensureDemo(
  databaseUrl: string,
  credentials: DemoCredentials,
): Promise<{ organizationId: string }> {
  const orm = createOrm(databaseUrl);
  try {
    return await orm.em.fork().transactional(async (em) => {
      // Two first starts against one database must not make two organizations.
      await em.execute(`select pg_advisory_xact_lock(hashtext('waymark demo'))`);
      const known = await em.findOne(ApiKey, { keyHash: hashToken(credentials.apiKey) });
      if (known !== null) return { organizationId: known.organization.id };
      const { organizationId, botId } = await createOrganization(em, {
        name: 'Demo',
        plan: 'premium',
        owner: { email: credentials.adminEmail, name: 'Admin', password: credentials.adminPassword, isStaff: true },
      });
      await createKey(em, {
        organizationId,
        userId: botId,
        type: 'bot',
        name: 'Demo key',
        permissions: demoPermissions,
        value: credentials.apiKey,
      });
      return { organizationId };
    });
  } finally {
    await orm.close();
  }
}
