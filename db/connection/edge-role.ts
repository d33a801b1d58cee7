import pg from 'pg';

/**
 * The rights that the edge's statements need, by table: on the whole of it, or on columns. No other right is granted: a role
 * with these reads no API key, session, account or webhook secret, and writes no link (ADR 19). An edge that needs more fails
 * with "permission denied" in test/edge/role.test.ts.
 */
const rights: Readonly<Record<string, readonly string[]>> = {
  // Look-ups.
  domains: ['select'],
  organizations: ['select (id, suspended_at, deleted_at, honours_gpc, threat_policy)'],
  short_links: ['select'],
  destinations: ['select'],
  rules: ['select'],
  meta_tags: ['select'],
  link_tags: ['select'],
  taken_down_names: ['select (slug_key, domain)'],
  tags: ['select (id, deleted_at)'],
  files: ['select (id, url_key, width, height, deleted_at, taken_down_at)'],
  threat_verdicts: ['select (url_hash, threat_types)'],
  // Caps and passwords of links, and reports of them.
  link_reports: ['select', 'insert', 'update (reports, notes, clients, reported_at, handled_at)'],
  link_caps: ['select', 'insert', 'update'],
  link_password_failures: ['select', 'insert', 'update', 'delete'],
  // Keys of visitor hashes, which all edges share.
  visitor_keys: ['select', 'insert'],
  // Clicks and their events.
  clicks: ['insert'],
  bot_clicks: ['insert'],
  journals: ['select', 'insert', 'update', 'delete'],
  link_counters: ['select', 'insert', 'update'],
  click_days: ['select', 'insert', 'update'],
  webhooks: [
    'select (organization_id, events, deleted_at, scope_folder_ids, scope_tag_ids, scope_domain_ids, scope_link_ids)',
  ],
  events: ['insert'],
  event_queue: ['insert'],
  event_scopes: ['insert'],
  // Read by /readyz.
  outbox: ['select (kind, created_at, parked_at, lane, organization_id)'],
  scan_days: ['select (organization_id, day, is_spent)'],
  workers: ['select'],
  // Version of the schema, and fingerprint of the secret key.
  migrations: ['select'],
  installation: ['select'],
};
const functions = ['ensure_click_month(text)'];

/** The edge's role cannot be given its rights; the message tells the operator what to do. */
export class EdgeRoleError extends Error {}

/**
 * Grants a role the rights of an edge, and revokes all others on the tables of this schema. May be repeated at any time, also
 * while edges run; needed after each migration, since new tables come without rights.
 * @param databaseUrl of the owner of the tables.
 * @throws EdgeRoleError where there is no such role, it may not log in, or it has rights that no grant takes away.
 */
export async function grantEdgeRole(databaseUrl: string, role: string): Promise<void> {
  await withClient(databaseUrl, (client) => grant(client, role));
}

/**
 * Creates a role that can sign in with this password, where it is missing, and grants it the rights of an edge.
 * @param databaseUrl of a role that may create others.
 */
export async function ensureEdgeRole(databaseUrl: string, role: string, password: string): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    const { rowCount } = await client.query('select 1 from pg_roles where rolname = $1', [role]);
    const verb = rowCount === 0 ? 'create' : 'alter';
    await client.query(`${verb} role ${pg.escapeIdentifier(role)} login password ${pg.escapeLiteral(password)}`);
    await grant(client, role);
  });
}

async function grant(client: pg.Client, role: string): Promise<void> {
  const { rows } = await client.query<{ isMighty: boolean; isOwner: boolean; canLogIn: boolean }>(
    `select rolsuper or rolbypassrls or rolcreaterole as "isMighty", pg_has_role(rolname, current_user, 'member') as "isOwner",
       rolcanlogin as "canLogIn"
     from pg_roles where rolname = $1`,
    [role],
  );
  const [known] = rows;
  const name = pg.escapeIdentifier(role);
  if (known === undefined) {
    throw new EdgeRoleError(`There is no role ${role}. Make it first: create role ${name} login password '…';`);
  }
  if (known.isMighty || known.isOwner) {
    throw new EdgeRoleError(`${role} may do as it likes in this database: an edge needs a role that owns nothing.`);
  }
  // A restore by a role that is no superuser leaves it so.
  if (!known.canLogIn) {
    throw new EdgeRoleError(`${role} may not log in. Let it first: alter role ${name} login password '…';`);
  }
  const grants = Object.entries(rights).map(([table, kinds]) => `grant ${kinds.join(', ')} on ${table} to ${name}`);
  await client.query(
    [
      'begin',
      // PostgreSQL refuses concurrent grants on one table. The number is used for nothing else.
      'select pg_advisory_xact_lock(7290411005)',
      `revoke all on all tables in schema public from ${name}`,
      `revoke all on all functions in schema public from ${name}`,
      `grant usage on schema public to ${name}`,
      ...grants,
      ...functions.map((signature) => `grant execute on function ${signature} to ${name}`),
      'commit',
    ].join(';\n'),
  );
}

async function withClient(databaseUrl: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
