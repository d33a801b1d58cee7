import { z } from 'zod';
import { readEdgeKey } from '#core/secrets/edge-key.ts';
import { workQueues } from '#core/temporal/task-queues.ts';
import { defaultRetryGapsMs } from '#core/webhooks/retries.ts';
import {
  addressList,
  baseUrl,
  originList,
  cidrList,
  clickHouseUrl,
  contactList,
  contactUri,
  databaseUrl,
  edgeUrl,
  dnsServerList,
  filled,
  flag,
  hasPort,
  headerName,
  host,
  hostPort,
  httpUrl,
  ipAddress,
  list,
  milliseconds,
  onOff,
  oneOfEach,
  port,
  rate,
  secondsList,
  sender,
  smtpUrl,
  taskQueue,
  whole,
} from './values.ts';

/**
 * Every environment variable that Waymark reads: name, meaning (`describe`), default. The order here is the order of
 * `.env.example`, which `npm run env-example` writes from it. Another one: docs/recipes/add-a-setting.md.
 */

const httpSection = {
  PORT: port(3000).describe('Port of the REST API.'),
  EDGE_PORT: port(3001).describe('Port of the edge, the server that visitors hit.'),
  EDGE_INTERNAL_PORT: whole(1, 65_535)
    .optional()
    .describe('Port of the edge for readyz and tls-allowed, which EDGE_PORT then no longer answers. Unset: EDGE_PORT.'),
  HOST: host.default('127.0.0.1').describe('Address that the API and the edge listen on.'),
  BASE_URL: baseUrl.optional().describe('Public address of the API. Default: http://localhost:<PORT>.'),
  SERVE: z.enum(['api', 'edge', 'both']).default('both').describe('What `node server.ts` serves: api, edge or both.'),
  EDGE_URL: edgeUrl
    .optional()
    .describe(
      'Public address of short links without a custom domain, like https://go.example.com. Default: http://localhost:<EDGE_PORT>.',
    ),
  PLATFORM_DOMAIN: z
    .string()
    .regex(
      /^[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$/,
      'must be a lower-case host name, with a port where it is not the default one',
    )
    .refine(hasPort, 'must have a port from 1 to 65535')
    .optional()
    .describe('Older name for the host and port of EDGE_URL, which replaces it.'),
  EDGE_SCHEME: z
    .enum(['http', 'https'])
    .optional()
    .describe(
      'Older name for the scheme of EDGE_URL, which replaces it. Default: http where PLATFORM_DOMAIN is localhost or 127.*, else https.',
    ),
  PLATFORM_ADDRESS: ipAddress
    .optional()
    .describe(
      'Address that short links show if the host of EDGE_URL begins with localhost; npm start -- --lan sets it to the address on the network.',
    ),
  TRUSTED_PROXIES: cidrList
    .default([])
    .describe('Proxies whose X-Forwarded-For counts: addresses or CIDR ranges, comma-separated.'),
  CORS_ORIGINS: originList
    .default([])
    .describe('Origins whose pages may call the API with a key, comma-separated. Default: none.'),
  SECURITY_CONTACT: contactList
    .optional()
    .describe(
      'Contacts in security.txt of the API and of every short domain: mailto:, https: or tel: URIs, comma-separated. Default: mailto:security@ and the host of EDGE_URL.',
    ),
  SUPPORT_CONTACT: contactUri
    .optional()
    .describe(
      'Where members of a suspended organization, or of one whose link was taken down, are told to ask: a mailto:, https: or tel: URI. Default: they are told to ask the operator.',
    ),
  EDGE_NOT_FOUND_PER_MINUTE: rate(120).describe(
    'How often in a minute a client may ask an edge process for links that do not exist.',
  ),
  RATE_LIMIT_PER_SECOND: rate(5).describe('Requests that an API key, or a client without one, may make in a second.'),
  RATE_LIMIT_PER_MINUTE: rate(100).describe('Requests that an API key, or a client without one, may make in a minute.'),
};

const dataSection = {
  DATABASE_URL: databaseUrl.optional().describe('PostgreSQL 17 or newer. Unset, npm start runs an embedded one.'),
  DATABASE_POOL_MAX: whole(2, 500).default(10).describe('Database connections per process.'),
  API_STATEMENT_TIMEOUT_MS: milliseconds(15_000).describe(
    'How long the database lets a statement of the API run, in milliseconds; 0: for ever.',
  ),
  EDGE_STATEMENT_TIMEOUT_MS: milliseconds(30_000).describe('API_STATEMENT_TIMEOUT_MS, but for the edge.'),
  WORKER_STATEMENT_TIMEOUT_MS: milliseconds(600_000).describe('API_STATEMENT_TIMEOUT_MS, but for the worker.'),
  CLI_STATEMENT_TIMEOUT_MS: milliseconds(600_000).describe(
    'API_STATEMENT_TIMEOUT_MS, but for commands of the operator; migrations run as long as they need.',
  ),
  DATABASE_IDLE_TRANSACTION_TIMEOUT_MS: milliseconds(30_000).describe(
    'How long the database lets a transaction of any process or command wait for its next statement, in milliseconds; 0: for ever.',
  ),
  CLICKHOUSE_URL: clickHouseUrl
    .optional()
    .describe(
      'ClickHouse that holds clicks and answers statistics in place of PostgreSQL, like http://user:password@host:8123/waymark, with ?cluster=name on a cluster (docs/clickhouse.md). Unset: PostgreSQL does.',
    ),
  WAYMARK_DATA_DIR: filled.default('.data').describe('Folder of all data that Waymark keeps on disk.'),
  SECRET_KEY: list
    .refine((keys) => keys.length > 0 && keys.every((key) => key.length >= 32), {
      message: 'each key must have at least 32 characters',
    })
    .optional()
    .describe(
      'Keys that seal secrets and sign cookies, comma-separated: the first one seals, each of them opens. Required with DATABASE_URL.',
    ),
  EDGE_DATABASE_URL: databaseUrl
    .optional()
    .describe(
      'The same database under a role with the rights of an edge alone (`migrate --edge-role`), for edges. Default: DATABASE_URL.',
    ),
  EDGE_SECRET_KEY: list
    .refine((keys) => keys.length > 0 && keys.every((key) => readEdgeKey(key) !== undefined), {
      message: 'must be what `npm run -s waymark -- secrets edge` prints',
    })
    .optional()
    .describe(
      'Keys for edges that do not get SECRET_KEY, as `npm run -s waymark -- secrets edge` prints them. Default: derived from SECRET_KEY.',
    ),
  GEOIP_DB: list
    .default([])
    .describe(
      'GeoIP databases (.mmdb), comma-separated; `npm run geoip` fetches two. Unset, the locations of visitors stay unknown.',
    ),
  IMPORT_BYTES_PER_DAY: rate(209_715_200).describe(
    'Bytes of files of links that an organization may import in 24 hours.',
  ),
  CLICK_RETENTION_DAYS: whole(0, 36_500).default(0).describe('Days for which clicks are kept; 0: for ever.'),
  BOT_CLICK_RETENTION_DAYS: whole(0, 36_500)
    .default(30)
    .describe('Days for which visits of bots are kept; 0: as long as clicks.'),
  REQUEST_LOG_DAYS: whole(0, 365).default(7).describe('Days for which calls of the API are kept; 0: none are.'),
  WAREHOUSE_EXPORTS_PER_DAY: whole(0, 24)
    .default(0)
    .describe('How often in a day clicks and links are written as Parquet files beside uploaded files; 0: never.'),
  JOURNAL_FSYNC: flag(false).describe('Wait for the disk before each redirect, so that clicks survive a power loss.'),
  JOURNAL_MAX_BYTES: whole(0, Number.MAX_SAFE_INTEGER)
    .refine((bytes) => bytes === 0 || bytes >= 1_048_576, 'must be 0 or at least 1048576')
    .default(0)
    .describe(
      'Most bytes of clicks that an edge process may keep on disk while the database is unreachable. 0: no limit.',
    ),
  DISK_FREE_WARN_BYTES: whole(0, Number.MAX_SAFE_INTEGER)
    .default(1_073_741_824)
    .describe(
      'Free bytes below which readyz reports the disk of the data folder as nearly full; at most a tenth of the disk.',
    ),
};

const storageSection = {
  S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket')
    .optional()
    .describe('Bucket of uploaded files, on any service that speaks S3. Unset, files are kept in WAYMARK_DATA_DIR.'),
  S3_ENDPOINT: httpUrl
    .optional()
    .describe("Address of the service, without the bucket. Default: Amazon's in S3_REGION."),
  S3_REGION: filled.default('us-east-1').describe('Region of the bucket.'),
  S3_ACCESS_KEY_ID: filled.optional().describe('Required with S3_BUCKET.'),
  S3_SECRET_ACCESS_KEY: filled.optional().describe('Required with S3_BUCKET.'),
  S3_FORCE_PATH_STYLE: onOff
    .optional()
    .describe('Name the bucket in the path instead of the host name. Default: true where S3_ENDPOINT is set.'),
};

const temporalSection = {
  TEMPORAL_ADDRESS: hostPort.optional().describe('Temporal service. Unset, npm start runs a dev server.'),
  TEMPORAL_NAMESPACE: filled.default('default').describe('Namespace of the workflows.'),
  TEMPORAL_TLS: onOff
    .optional()
    .describe('Reach the Temporal service by TLS. Default: true if one of the next four settings is set.'),
  TEMPORAL_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be a key without spaces')
    .optional()
    .describe('Key that the Temporal service asks for.'),
  TEMPORAL_TLS_CA_FILE: filled
    .optional()
    .describe("PEM file of the root certificates for the Temporal service. Default: Node's own."),
  TEMPORAL_TLS_CERT_FILE: filled
    .optional()
    .describe('PEM file of the certificate that Waymark shows to the Temporal service (mTLS).'),
  TEMPORAL_TLS_KEY_FILE: filled.optional().describe('PEM file of the key of TEMPORAL_TLS_CERT_FILE. Required with it.'),
  TEMPORAL_TASK_QUEUE: taskQueue.default('waymark').describe('Task queue of the worker.'),
  WORKER_TASK_QUEUES: oneOfEach(workQueues).describe(
    'What this worker takes, of the kinds of work that have a task queue each. Each kind needs a worker that takes it.',
  ),
  WORKER_VERSIONING: flag(false).describe(
    'Whether workers have versions: workflows end in the version that began them, and an operator makes a new one current (docs/rollouts.md).',
  ),
  BUILD_COMMIT: z
    .string()
    .regex(/^[0-9a-f]{7,64}$/, 'must be the hash of a commit')
    .optional()
    .describe(
      'Commit of this build, part of the version of a worker. The image may set it (docs/rollouts.md). Default: that of the checkout, by git.',
    ),
  TEMPORAL_UI_URL: httpUrl.optional().describe('Address of the Temporal UI. Default: the one that npm start runs.'),
};

const domainSection = {
  DNS_SERVERS: dnsServerList
    .default([])
    .describe(
      'Name servers for the checks of domains, address:port, comma-separated; one right answer is enough. Default: the name servers of the machine.',
    ),
  EDGE_HOSTNAME: z
    .string()
    .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'must be a lower-case host name')
    .optional()
    .describe('Name that custom domains must be aliases (CNAME) of. Unset, only their ownership is checked.'),
  EDGE_ADDRESSES: addressList
    .default([])
    .describe('IP addresses that custom domains may lead to instead of an alias, comma-separated.'),
};

const threatSection = {
  WEB_RISK_API_KEY: filled.optional().describe('Key of Google Web Risk. Unset, a local list is used.'),
  WEB_RISK_ENDPOINT: httpUrl.optional().describe('Another Web Risk endpoint, with or without a key.'),
  WEB_RISK_MODE: z
    .enum(['lookup', 'lists'])
    .default('lookup')
    .describe(
      'lookup: Web Risk is asked for each new URL; lists: lists of hash prefixes are kept here, and Web Risk is asked for hits only.',
    ),
  THREAT_LIST_FILE: filled
    .optional()
    .describe(
      'Local list that is used without Web Risk, by worker and API: lines of URL or host, a tab, types. Default: a small sample of test URLs.',
    ),
  THREAT_SCAN_WAIT_MS: whole(0, 30_000)
    .default(1_500)
    .describe('How long a create or update waits for the verdict, in milliseconds.'),
  THREAT_SCANS_PER_DAY: rate(100_000).describe(
    'Destinations that an organization may have scanned in a day (UTC); further ones wait for the next day.',
  ),
  THREAT_RESCAN_PER_DAY: whole(1, 24)
    .default(1)
    .describe('How often in a day the destinations of all links are checked again.'),
};

const webhookSection = {
  WEBHOOK_ALLOWED_CIDRS: cidrList
    .default([])
    .describe(
      'Addresses and ranges that webhooks may lead to although they are not public, comma-separated. Every organization can reach them, and reads what they answer.',
    ),
  WEBHOOK_RETRY_DELAYS: secondsList(defaultRetryGapsMs.map((ms) => ms / 1_000).join(',')).describe(
    'Gaps after the failed attempts of a delivery, in seconds, comma-separated.',
  ),
  WEBHOOK_PROBE_DELAYS: secondsList('12,60,300,900,1800,3600').describe(
    'Gaps before the probes of a failing webhook, in seconds after its last failure; the last gap repeats.',
  ),
  WEBHOOK_SIGNATURE_HEADER: headerName
    .default('X-Service-Signature')
    .describe('Name of the header with the signature of a delivery.'),
  WEBHOOK_CA_FILE: filled
    .optional()
    .describe("PEM file of root certificates for the servers of webhooks, in addition to Node's own."),
  SMTP_URL: smtpUrl
    .optional()
    .describe(
      "Mail server. Unset, mail is written to the data folder's mail/, and no one can ask for a new password by mail.",
    ),
  MAIL_PER_SECOND: rate(10).describe('Mails that all workers together hand to the mail server in a second.'),
  MAIL_FROM: sender.default('Waymark <waymark@localhost>').describe('Sender of mail.'),
};

const signInSection = {
  OIDC_ISSUER: httpUrl
    .optional()
    .describe(
      'Issuer of the OpenID Connect provider by which people who have an account may sign in. Register <BASE_URL>/auth/oidc/callback there.',
    ),
  OIDC_CLIENT_ID: filled.max(200).optional().describe('Id of the client at that provider. Required with it.'),
  OIDC_CLIENT_SECRET: filled.max(1_000).optional().describe('Secret of that client. Required with it.'),
  OIDC_TRUST_EMAILS: flag(false).describe(
    'Whether e-mails of OIDC_ISSUER count as verified where it sends no email_verified. Risk: where people set their own e-mail there, they sign in as anybody.',
  ),
  BREACHED_PASSWORDS_FILE: filled
    .optional()
    .describe(
      'File of SHA-1 hashes of stolen passwords, sorted, one a line, that new passwords are looked up in. Default: the list of 49,000 that is shipped.',
    ),
  BREACHED_PASSWORDS_URL: httpUrl
    .optional()
    .describe(
      'Service of stolen passwords that new passwords are looked up at too: it gets the first five digits of the SHA-1 hash behind this address, never the password. Default: none is asked.',
    ),
  OIDC_ALLOWED_CIDRS: cidrList
    .default([])
    .describe(
      'Addresses and ranges at which the identity providers of organizations may be although they are not public, comma-separated. Every organization can reach them. OIDC_ISSUER needs none.',
    ),
  OIDC_NAME: filled.max(60).default('single sign-on').describe('Name of that provider on the sign-in page.'),
  STAFF_SECOND_FACTOR: z
    .enum(['required', 'optional'])
    .optional()
    .describe(
      'Whether staff reach the internal tools by a second factor only. Default: required where BASE_URL is https, else optional.',
    ),
};

const logSection = {
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Log level.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl
    .optional()
    .describe('OpenTelemetry collector that gets traces of API and worker by OTLP over HTTP. Unset: no traces.'),
  METRICS_HOST: host.default('127.0.0.1').describe('Address that metrics are served on.'),
  METRICS_PORT: whole(1, 65_532)
    .optional()
    .describe(
      'Prometheus metrics; a worker takes the next port too, on 127.0.0.1. npm start: API, edge (+1), worker (+2, +3). Unset: none.',
    ),
};

const startSection = {
  BOOTSTRAP_API_KEY: z
    .string()
    .regex(/^wm_live_[0-9A-Za-z]{43}$/, 'must be wm_live_ and 43 characters of base62')
    .optional()
    .describe("The demo organization's API key on first start. Default: a new key, printed and kept."),
  BOOTSTRAP_ADMIN_EMAIL: z
    .email()
    .default('admin@waymark.localhost')
    .describe("E-mail of the demo organization's admin on first start."),
  BOOTSTRAP_ADMIN_PASSWORD: z
    .string()
    .min(8)
    .max(128)
    .optional()
    .describe('Password of that admin. Default: a new password, printed and kept.'),
  DATABASE_PORT: port(5433).describe('Port of the embedded PostgreSQL.'),
  CLICKHOUSE: z
    .enum(['embedded'])
    .optional()
    .describe('embedded: run a ClickHouse, for trying; `npm run clickhouse` fetches it, 550 MB. Only on Linux on x64.'),
  CLICKHOUSE_PORT: port(8123).describe('Port of the embedded ClickHouse.'),
  TEMPORAL_PORT: port(7233).describe('Port of the embedded Temporal service.'),
  TEMPORAL_UI_PORT: port(8233).describe('Port of the embedded Temporal UI.'),
  TEMPORAL_CLI: filled.optional().describe('Path of a temporal binary to use.'),
  WAYMARK_CACHE_DIR: filled
    .optional()
    .describe("Folder of downloaded tools, shared by several copies. Default: waymark in the user's cache folder."),
};

/** Sections of the schema, in the order in which `.env.example` shows them. */
export const configSections = {
  'API and edge': httpSection,
  Data: dataSection,
  'Uploaded files': storageSection,
  Temporal: temporalSection,
  Domains: domainSection,
  'Threat scanning': threatSection,
  'Webhooks and mail': webhookSection,
  'Sign-in': signInSection,
  'Logs and metrics': logSection,
  'Only for npm start': startSection,
};

/** Variables that may also be given as `<NAME>_FILE`, a path whose content is the value. */
export const secretNames = [
  'DATABASE_URL',
  'EDGE_DATABASE_URL',
  'CLICKHOUSE_URL',
  'SECRET_KEY',
  'EDGE_SECRET_KEY',
  'S3_SECRET_ACCESS_KEY',
  'TEMPORAL_API_KEY',
  'WEB_RISK_API_KEY',
  'SMTP_URL',
  'OIDC_CLIENT_SECRET',
  'BOOTSTRAP_API_KEY',
  'BOOTSTRAP_ADMIN_PASSWORD',
] as const;
