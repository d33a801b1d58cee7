import { hash } from '@node-rs/argon2';
import { v7 as uuidv7 } from 'uuid';
import { createApiKey, hashToken } from '#core/organizations/api-key.ts';
import { actions, type Permissions, type Role } from '#core/organizations/permissions.ts';
import type { Sql } from '#db/connection/database.ts';
import { type KeyRow, takeKeyCalls } from '#db/organizations/key-lookup.ts';
import { allPermissions, createOrganization, type TestOrganization } from './factories.ts';

/** A person of the tests; all have the same password. */
export interface TestPerson {
  id: string;
  email: string;
}

/** The password of all test users. */
export const testPassword = 'correct horse battery';
// A hash names its costs: to check this one takes a hundredth of what the product's take.
const testHash = hash(testPassword, { memoryCost: 64, timeCost: 1, parallelism: 1 });

/** Every permission that there is. */
export const everyPermission: Permissions = { ...allPermissions, apiKeys: actions };

/** Where pages of the tests' API come from. */
export const testOrigin = 'http://localhost:3000';

let counter = 0;

/** Makes a person who is a member of the organizations given. */
export async function createPerson(
  db: Sql,
  memberships: Readonly<Record<string, Role>>,
  { email = `person${(counter += 1)}@example.com`, isVerified = true }: { email?: string; isVerified?: boolean } = {},
): Promise<TestPerson> {
  const id = uuidv7();
  await db.query(
    `insert into users (id, type, email, name, password_hash, email_verified_at)
     values ($1, 'human', $2, 'Ada', $3, case when $4 then now() end)`,
    [id, email, await testHash, isVerified],
  );
  for (const [organizationId, role] of Object.entries(memberships))
    await joinOrganization(db, id, organizationId, role);
  return { id, email };
}

/** Makes an organization with an owner. */
export async function createOwnedOrganization(db: Sql): Promise<TestOrganization & { owner: TestPerson }> {
  const organization = await createOrganization(db);
  const email = `owner-${organization.id}@test.example`;
  return { ...organization, owner: await createPerson(db, { [organization.id]: 'owner' }, { email }) };
}

/** Makes a person a member of an organization too. */
export async function joinOrganization(db: Sql, userId: string, organizationId: string, role: Role): Promise<void> {
  await db.query(
    'insert into memberships (organization_id, user_id, role, created_at) values ($1, $2, $3, clock_timestamp())',
    [organizationId, userId, role],
  );
}

/** Makes a person's user key. @returns its value. */
export async function createUserKey(
  db: Sql,
  organizationId: string,
  userId: string,
  permissions: Permissions = everyPermission,
): Promise<string> {
  const key = createApiKey();
  await db.query(
    `insert into api_keys (id, organization_id, user_id, type, name, permissions, key_hash, last4)
     values ($1, $2, $3, 'user', 'User key', $4, $5, $6)`,
    [uuidv7(), organizationId, userId, JSON.stringify(permissions), hashToken(key), key.slice(-4)],
  );
  return key;
}

/** Headers of a browser that is signed in, on a page of the API's own. */
export interface BrowserHeaders {
  [name: string]: string | undefined;
  cookie: string;
  origin: string;
}

/** Opens a session without a password. @returns the browser's headers. */
export async function openTestSession(db: Sql, userId: string, organizationId: string): Promise<BrowserHeaders> {
  const token = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
  await db.query(
    `insert into sessions (id, token_hash, user_id, organization_id, expires_at)
     values ($1, $2, $3, $4, now() + interval '30 days')`,
    [uuidv7(), hashToken(token), userId, organizationId],
  );
  return { 'x-api-key': undefined, cookie: `waymark=${token}`, origin: testOrigin };
}

/** Makes a person of a role, signed in. */
export async function createSignedIn(
  db: Sql,
  organizationId: string,
  role: Role,
): Promise<TestPerson & { headers: BrowserHeaders }> {
  const person = await createPerson(db, { [organizationId]: role });
  return { ...person, headers: await openTestSession(db, person.id, organizationId) };
}

/** Finds a live key by its value, as a call does. */
export async function findKey(sql: Sql, value: string): Promise<KeyRow | undefined> {
  const limits = { perSecond: 1_000_000, perMinute: 1_000_000 };
  const { key } = await takeKeyCalls(sql, { keyHash: hashToken(value), address: null, count: 1, limits });
  return key;
}
