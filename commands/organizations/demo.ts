import { hashToken } from '#core/organizations/api-key.ts';
import { actions, type Permissions } from '#core/organizations/permissions.ts';
import { ApiKey, User } from '#db/entities/accounts/people.ts';
import { createDatabase } from '#db/connection/database.ts';
import { lockName } from '#db/connection/locks.ts';
import { createEntityManager } from '#db/connection/orm.ts';
import { normalizeEmail } from '#commands/accounts/people.ts';
import { createKey } from './api-keys.ts';
import { createOrganization } from './organizations.ts';

/** The demo organization's key, and its admin, who is staff too. */
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
 * Creates the demo organization at the first start: premium, with a bot key of all permissions but `apiKeys`. The key
 * identifies it, so that a later start finds it, and completes one that was interrupted; a revoked key stays revoked.
 */
export async function ensureDemo(
  databaseUrl: string,
  credentials: DemoCredentials,
): Promise<{ organizationId: string }> {
  const db = createDatabase({ url: databaseUrl, poolMax: 1 });
  try {
    return await createEntityManager(db).transactional(async (em) => {
      // Two first starts against one database would create two organizations.
      await lockName(em, 'waymark demo');
      const keyHash = hashToken(credentials.apiKey);
      const known = await em.findOne(ApiKey, { keyHash }, { filters: { live: false } });
      if (known !== null) return { organizationId: known.organization.id };
      const { adminEmail: email, apiKey: value } = credentials;
      // An account from before keeps its password.
      const admin = await em.getRepository(User).findPerson(normalizeEmail(email));
      const password = admin === null ? credentials.adminPassword : undefined;
      const now = new Date();
      // The operator chose the password in the configuration: the start warns of a common one, and goes on.
      const owner = { email, name: 'Admin', password, isStaff: true, mayHaveCommonPassword: true };
      const { organizationId } = await createOrganization(em, { name: 'Demo', plan: 'premium', owner }, now);
      const key = { organizationId, name: 'Demo key', permissions: demoPermissions, value };
      await createKey(em, { ...key, type: 'bot' }, { now });
      return { organizationId };
    });
  } finally {
    await db.close();
  }
}
