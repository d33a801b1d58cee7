import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { expect, test } from 'vitest';
import { ConfigError, fileNames, loadConfig } from '#config/load.ts';
import { makeFolder } from '#test/support/folders.ts';

const key = 'a secret key of at least 32 characters';
const folder = makeFolder();

function mistakesOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
}

test('derived settings follow the settings that are set', () => {
  const config = loadConfig({ PORT: '8080', EDGE_PORT: '8081', PLATFORM_DOMAIN: 'go.example' });
  expect(config).toMatchObject({ BASE_URL: 'http://localhost:8080', EDGE_SCHEME: 'https' });
  expect(loadConfig({ EDGE_PORT: '8081' }).PLATFORM_DOMAIN).toBe('localhost:8081');
  expect(loadConfig({ PLATFORM_DOMAIN: '127.0.0.1:8081' }).EDGE_SCHEME).toBe('http');
  expect(loadConfig({ BASE_URL: 'https://api.example/' }).BASE_URL).toBe('https://api.example');
});

test('EDGE_URL gives short links their scheme, domain and port', () => {
  expect(loadConfig({ EDGE_URL: 'https://go.example.com:443/' })).toMatchObject({
    EDGE_URL: 'https://go.example.com',
    PLATFORM_DOMAIN: 'go.example.com',
    EDGE_SCHEME: 'https',
    SECURITY_CONTACT: ['mailto:security@go.example.com'],
  });
  expect(loadConfig({ EDGE_URL: 'http://go.example:8081' }).PLATFORM_DOMAIN).toBe('go.example:8081');
  expect(loadConfig({ EDGE_PORT: '8081' }).EDGE_URL).toBe('http://localhost:8081');
  expect(loadConfig({ PLATFORM_DOMAIN: 'go.example' }).EDGE_URL).toBe('https://go.example');
  expect(loadConfig({ PLATFORM_DOMAIN: 'go.example', EDGE_SCHEME: 'http' }).EDGE_URL).toBe('http://go.example');
});

test('EDGE_URL and the older names of its parts may be set together where they say the same', () => {
  const env = { PLATFORM_DOMAIN: 'go.example.com', EDGE_SCHEME: 'https' };
  expect(mistakesOf({ ...env, EDGE_URL: 'https://go.example.com' })).toEqual([]);
  expect(mistakesOf({ PLATFORM_DOMAIN: 'go.example.com:443', EDGE_URL: 'https://go.example.com' })).toEqual([]);
  expect(mistakesOf({ ...env, EDGE_URL: 'http://other.example' })).toEqual([
    'EDGE_URL: contradicts PLATFORM_DOMAIN, which is go.example.com; leave PLATFORM_DOMAIN out',
    'EDGE_URL: contradicts EDGE_SCHEME, which is https; leave EDGE_SCHEME out',
  ]);
});

test('an empty value counts as unset', () => {
  expect(loadConfig({ PORT: '', DATABASE_URL: '', SECRET_KEY: '', SECRET_KEY_FILE: '' })).toEqual(loadConfig({}));
  expect(loadConfig({ CLICK_RETENTION_DAYS: ' ', THREAT_SCAN_WAIT_MS: '\t', HOST: ' ' })).toEqual(loadConfig({}));
});

test('spaces around a value are ignored, except in a password', () => {
  const env = { BASE_URL: ' https://api.example/ ', SERVE: 'api\r', BOOTSTRAP_ADMIN_PASSWORD: ' pass word ' };
  expect(loadConfig(env)).toMatchObject({
    BASE_URL: 'https://api.example',
    SERVE: 'api',
    BOOTSTRAP_ADMIN_PASSWORD: ' pass word ',
  });
});

test('all mistakes are reported at once, by the name of the setting', () => {
  const mistakes = mistakesOf({
    PORT: '70000',
    EDGE_PORT: 'http',
    DATABASE_URL: 'mysql://localhost',
    LOG_LEVEL: 'loud',
    BOOTSTRAP_API_KEY: 'wm_live_short',
    TRUSTED_PROXIES: '10.0.0.0/8, nonsense',
  });
  const names = mistakes.map((mistake) => mistake.split(':')[0]);
  for (const name of ['PORT', 'EDGE_PORT', 'DATABASE_URL', 'LOG_LEVEL', 'BOOTSTRAP_API_KEY', 'TRUSTED_PROXIES']) {
    expect(names).toContain(name);
  }
});

test('missing settings are reported beside wrong ones', () => {
  const env = { PORT: 'http', DATABASE_URL: 'postgres://localhost/waymark', S3_BUCKET: 'files' };
  expect(mistakesOf(env).map((mistake) => mistake.split(':')[0])).toEqual([
    'PORT',
    'SECRET_KEY',
    'S3_ACCESS_KEY_ID',
    'S3_SECRET_ACCESS_KEY',
  ]);
});

test('a wrong URL hides no missing setting', () => {
  const env = { S3_BUCKET: 'files', SECRET_KEY: key };
  const missing = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'].map(
    (name) => `${name}: is required when S3_BUCKET is set`,
  );
  expect(mistakesOf({ ...env, DATABASE_URL: 'mysql://x' })).toEqual([
    'DATABASE_URL: must begin with postgres://',
    ...missing,
  ]);
  expect(mistakesOf({ ...env, SMTP_URL: 'mail.example' })).toEqual([
    'SMTP_URL: must begin with smtp:// or smtps://',
    ...missing,
  ]);
  expect(mistakesOf({ SMTP_URL: 'smtp://' })).toEqual(['SMTP_URL: must be a URL with a host']);
});

test.each([
  { value: 'files', names: ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] },
  { value: 'https://login.example', names: ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] },
])('$names are set together or not at all', ({ value, names }) => {
  for (const given of names) {
    expect(mistakesOf({ [given]: value })).toEqual(
      names.filter((name) => name !== given).map((name) => `${name}: is required when ${given} is set`),
    );
  }
});

test.each([
  ['TRUSTED_PROXIES', '1', '10.0.0.0/8, ::1'],
  ['TRUSTED_PROXIES', '10/8', '10.1.2.3'],
  ['WEBHOOK_ALLOWED_CIDRS', '127.1', '127.0.0.1'],
  ['WEBHOOK_ALLOWED_CIDRS', '127.0.0.1/33', 'fd00::/8'],
  ['OIDC_ALLOWED_CIDRS', '10.0.0.0/33', '10.0.0.0/8'],
  ['TEMPORAL_ADDRESS', 'temporal:70000', '[::1]:7233'],
  ['PLATFORM_DOMAIN', 'go.example:70000', 'go.example:8443'],
  ['PLATFORM_DOMAIN', 'go..example', 'go'],
  ['EDGE_URL', 'go.example.com', 'https://go.example.com'],
  ['EDGE_URL', 'https://go.example.com/links', 'http://localhost:3001'],
  ['EDGE_URL', 'https://user@go.example.com', 'https://go.example.com/'],
  ['SMTP_URL', 'smtp://', 'smtps://user:secret@mail.example:465'],
  ['SMTP_URL', 'mail.example', 'smtp://mail.example'],
  ['WORKER_TASK_QUEUES', 'mails', 'mail, bulk'],
  ['WORKER_TASK_QUEUES', ',', 'scans,scans'],
  ['HOST', 'two words', '0.0.0.0'],
  ['HOST', '300.1.1.1', '::'],
  ['METRICS_HOST', 'http://localhost', 'localhost'],
  ['MAIL_FROM', 'Waymark', 'hello@go.example'],
  ['CLICKHOUSE_URL', 'http://waymark:100%@localhost:8123/waymark', 'http://waymark:100%25@localhost:8123/waymark'],
  ['TEMPORAL_TASK_QUEUE', '/_sys/waymark', '/waymark'],
  ['MAIL_FROM', 'Waymark <hello', 'Waymark, Links <hello@go.example>'],
])('%s may not be %s, but %s', (name, wrong, right) => {
  expect(mistakesOf({ [name]: wrong })).toEqual([expect.stringMatching(`^${name}: `)]);
  expect(mistakesOf({ [name]: right })).toEqual([]);
});

test('a setting that names a missing file is a mistake in a process that reads the file', () => {
  const [here, missing] = [join(folder, 'here'), join(folder, 'missing')];
  writeFileSync(here, '\xab\xcd\xefMaxMind.com', 'latin1');
  const env = { GEOIP_DB: `${here}, ${missing}`, WEBHOOK_CA_FILE: missing, THREAT_LIST_FILE: here };
  expect(mistakesOf(env)).toEqual([]);
  const files = ['GEOIP_DB', 'WEBHOOK_CA_FILE', 'THREAT_LIST_FILE'] as const;
  expect(() => loadConfig(env, { files })).toThrow(
    `mistakes:\n  GEOIP_DB: ${missing} cannot be read (ENOENT)\n  WEBHOOK_CA_FILE: ${missing} cannot be read (ENOENT)`,
  );
  expect(loadConfig({ GEOIP_DB: here }, { files }).GEOIP_DB).toEqual([here]);
});

test('a setting that names a folder instead of a file is a mistake', () => {
  for (const name of fileNames) {
    expect(() => loadConfig({ [name]: folder }, { files: fileNames })).toThrow(
      `${name}: ${folder} cannot be read (it is not a file)`,
    );
  }
  expect(loadConfig({ THREAT_LIST_FILE: '/dev/null' }, { files: fileNames }).THREAT_LIST_FILE).toBe('/dev/null');
});

test('GEOIP_DB that is no database in MaxMind format is a mistake', () => {
  const file = join(folder, 'geoip.mmdb');
  writeFileSync(file, 'garbage');
  const load = () => loadConfig({ GEOIP_DB: file }, { files: ['GEOIP_DB'] }).GEOIP_DB;
  expect(load).toThrow(`GEOIP_DB: ${file} is no database in MaxMind's format`);
  writeFileSync(file, Buffer.concat([Buffer.alloc(200_000), Buffer.from('\xab\xcd\xefMaxMind.com...', 'latin1')]));
  expect(load()).toEqual([file]);
});

test('BREACHED_PASSWORDS_FILE that does not begin with sorted SHA-1 hashes is a mistake', () => {
  const file = join(folder, 'hashes.txt');
  const load = (text: string) => {
    writeFileSync(file, text);
    return loadConfig({ BREACHED_PASSWORDS_FILE: file }, { files: ['BREACHED_PASSWORDS_FILE'] })
      .BREACHED_PASSWORDS_FILE;
  };
  const [low, high] = ['0'.repeat(40), `${'0'.repeat(39)}f`];
  for (const text of ['password\n', `${'a'.repeat(32)}:3\n`, `${high}:2\n${low}:5\n`, `${low}\npassword\n`])
    expect(() => load(text)).toThrow(
      `BREACHED_PASSWORDS_FILE: ${file} does not begin with two SHA-1 hashes in hexadecimal, sorted, one a line`,
    );
  for (const text of ['', low, `${low}:2\r\n${high}:5\r\n`, `${low}\n${high}\n${high}`]) expect(load(text)).toBe(file);
});

test('WEBHOOK_CA_FILE without a certificate is a mistake', () => {
  const file = join(folder, 'ca.pem');
  writeFileSync(file, 'garbage');
  const load = () => loadConfig({ WEBHOOK_CA_FILE: file }, { files: ['WEBHOOK_CA_FILE'] }).WEBHOOK_CA_FILE;
  expect(load).toThrow(`WEBHOOK_CA_FILE: ${file} holds no certificate in PEM`);
  writeFileSync(file, rootCertificates.slice(0, 2).join('\n'));
  expect(load()).toBe(file);
});

test('a secret may come from a file', () => {
  const file = join(folder, 'secret');
  writeFileSync(file, `${key}\n`);
  expect(loadConfig({ SECRET_KEY_FILE: file }).SECRET_KEY).toEqual([key]);
});

test('a file that cannot be read, and a secret given twice, are mistakes', () => {
  expect(mistakesOf({ SECRET_KEY_FILE: join(folder, 'none') })).toEqual([
    expect.stringMatching(/^SECRET_KEY_FILE: .*ENOENT/),
  ]);
  const file = join(folder, 'twice');
  writeFileSync(file, key);
  expect(mistakesOf({ SECRET_KEY: key, SECRET_KEY_FILE: file })).toEqual([
    expect.stringMatching(/^SECRET_KEY: .*both/),
  ]);
});

test('staff need a second factor where BASE_URL is https, unless STAFF_SECOND_FACTOR says otherwise', () => {
  expect(loadConfig({}).STAFF_SECOND_FACTOR).toBe('optional');
  expect(loadConfig({ BASE_URL: 'https://api.example' }).STAFF_SECOND_FACTOR).toBe('required');
  expect(loadConfig({ BASE_URL: 'https://api.example', STAFF_SECOND_FACTOR: 'optional' })).toMatchObject({
    STAFF_SECOND_FACTOR: 'optional',
  });
  expect(loadConfig({ STAFF_SECOND_FACTOR: 'required' }).STAFF_SECOND_FACTOR).toBe('required');
});

test('TEMPORAL_TASK_QUEUE leaves room for the names of kinds of work', () => {
  expect(mistakesOf({ TEMPORAL_TASK_QUEUE: 'x'.repeat(900) })).toEqual([]);
  expect(mistakesOf({ TEMPORAL_TASK_QUEUE: 'x'.repeat(901) })).toEqual([
    'TEMPORAL_TASK_QUEUE: must have at most 900 characters',
  ]);
});

test('BASE_URL counts as https, and loses its default port, however it is spelled', () => {
  expect(loadConfig({ BASE_URL: 'HTTPS://API.example:443/Links/' })).toMatchObject({
    BASE_URL: 'https://api.example/Links',
    STAFF_SECOND_FACTOR: 'required',
  });
});

test('DATABASE_URL needs a SECRET_KEY, of which there may be several', () => {
  const url = 'postgres://localhost/waymark';
  expect(mistakesOf({ DATABASE_URL: url })).toEqual(['SECRET_KEY: is required when DATABASE_URL is set']);
  expect(loadConfig({ DATABASE_URL: url, SECRET_KEY: `${key}, ${key}2` }).SECRET_KEY).toEqual([key, `${key}2`]);
  expect(mistakesOf({ SECRET_KEY: 'short' })).toEqual([expect.stringMatching(/^SECRET_KEY: .*32/)]);
});

test('DATABASE_URL must be a URL that can be parsed', () => {
  const mistakes = (url: string) => mistakesOf({ SECRET_KEY: key, DATABASE_URL: url });
  for (const url of ['postgres://u:p#w@host/x', 'postgres://host:99999/x', 'postgres://u:100%@host/x', 'mysql://x']) {
    expect({ url, mistakes: mistakes(url) }).toEqual({
      url,
      mistakes: [expect.stringMatching(/^DATABASE_URL: must b/)],
    });
  }
  for (const url of ['postgres://u:p%23w@[::1]:5432/x?sslmode=require', 'postgresql:///x?host=/run/postgresql']) {
    expect({ url, mistakes: mistakes(url) }).toEqual({ url, mistakes: [] });
  }
});

test('a URL of the database names a known sslmode and files that can be read', () => {
  const [garbage, missing, roots] = ['garbage.pem', 'missing.pem', 'roots.pem'].map((name) => join(folder, name));
  writeFileSync(garbage!, 'garbage');
  writeFileSync(roots!, rootCertificates[0]!);
  const mistakes = (query: string) => mistakesOf({ EDGE_DATABASE_URL: `postgres://localhost/waymark?${query}` });
  expect(mistakes('sslmode=verify_full')).toEqual([
    'EDGE_DATABASE_URL: must have an sslmode of disable, prefer, require, verify-ca, verify-full, no-verify',
  ]);
  expect(mistakes(`sslrootcert=${missing}&sslcert=${missing}&sslkey=${folder}`)).toEqual([
    `EDGE_DATABASE_URL: sslrootcert=${missing} cannot be read (ENOENT)`,
    `EDGE_DATABASE_URL: sslcert=${missing} cannot be read (ENOENT)`,
    `EDGE_DATABASE_URL: sslkey=${folder} cannot be read (it is not a file)`,
  ]);
  expect(mistakes(`sslrootcert=${garbage}`)).toEqual([
    `EDGE_DATABASE_URL: sslrootcert=${garbage} holds no certificate in PEM`,
  ]);
  expect(mistakes(`sslmode=verify-full&sslrootcert=${roots}&connect_timeout=30`)).toEqual([]);
  expect(mistakesOf({ SECRET_KEY: key, DATABASE_URL: `postgres://localhost/waymark?sslrootcert=${missing}` })).toEqual([
    `DATABASE_URL: sslrootcert=${missing} cannot be read (ENOENT)`,
  ]);
});

test('a missing setting that a process requires is reported with all other mistakes', () => {
  const mistakes = (env: NodeJS.ProcessEnv) => {
    const load = () => loadConfig(env, { required: ['DATABASE_URL', 'SECRET_KEY'], by: 'the server' });
    try {
      return load().SECRET_KEY;
    } catch (error) {
      return (error as ConfigError).mistakes;
    }
  };
  const missing = ['DATABASE_URL: is required by the server', 'SECRET_KEY: is required by the server'];
  expect(mistakes({ PORT: 'x' })).toEqual(['PORT: must be a number', ...missing]);
  expect(mistakes({ DATABASE_URL: 'x', SECRET_KEY: 'short' })).toEqual([
    expect.stringMatching(/^DATABASE_URL: must/),
    expect.stringMatching(/^SECRET_KEY: each/),
  ]);
  expect(mistakes({ DATABASE_URL: 'postgres://localhost/waymark', SECRET_KEY: key })).toEqual([key]);
});

test('BASE_URL may have a path, but no user, query or fragment', () => {
  expect(loadConfig({ BASE_URL: 'https://go.example/api/' }).BASE_URL).toBe('https://go.example/api');
  for (const url of ['https://go.example/?x=1', 'https://go.example/#x', 'https://a:b@go.example']) {
    expect(mistakesOf({ BASE_URL: url })).toEqual(['BASE_URL: must be without user, query and fragment']);
  }
});

test('name servers and addresses of the edge must be IP addresses', () => {
  const dns = { DNS_SERVERS: '127.0.0.1:5300, [::1]:53,9.9.9.9', EDGE_ADDRESSES: '192.0.2.1,2001:db8::1' };
  expect(loadConfig({ ...dns, EDGE_HOSTNAME: 'edge.go.example' })).toMatchObject({
    DNS_SERVERS: ['127.0.0.1:5300', '[::1]:53', '9.9.9.9'],
    EDGE_ADDRESSES: ['192.0.2.1', '2001:db8::1'],
    EDGE_HOSTNAME: 'edge.go.example',
  });
  expect(loadConfig({})).toMatchObject({ DNS_SERVERS: [], EDGE_ADDRESSES: [] });
  for (const server of ['dns.example:53', '127.0.0.1:0', '127.0.0.1:65536', '::1:53', '[::1', '1.2.3']) {
    expect(mistakesOf({ DNS_SERVERS: server })).toEqual([expect.stringMatching(/^DNS_SERVERS: /)]);
  }
  expect(mistakesOf({ EDGE_ADDRESSES: 'edge.go.example' })).toHaveLength(1);
  expect(mistakesOf({ EDGE_HOSTNAME: 'https://edge.go.example' })).toHaveLength(1);
});

test('any TLS setting of Temporal turns TLS on', () => {
  const address = { TEMPORAL_ADDRESS: 'temporal.example:7233' };
  const pair = { TEMPORAL_TLS_CERT_FILE: '/tls/cert.pem', TEMPORAL_TLS_KEY_FILE: '/tls/key.pem' };
  expect(loadConfig(address).TEMPORAL_TLS).toBe(false);
  expect(loadConfig({ TEMPORAL_TLS: 'false' }).TEMPORAL_TLS).toBe(false);
  const ways = [{ TEMPORAL_TLS: 'on' }, { TEMPORAL_API_KEY: 'key' }, { TEMPORAL_TLS_CA_FILE: '/tls/ca.pem' }, pair];
  for (const way of ways) {
    expect(loadConfig({ ...address, ...way }).TEMPORAL_TLS).toBe(true);
    expect(mistakesOf(way)).toEqual([expect.stringMatching(/^TEMPORAL_ADDRESS: is required with TLS/)]);
  }
  expect(mistakesOf({ ...address, TEMPORAL_TLS: 'off', TEMPORAL_API_KEY: 'key' })).toEqual([
    'TEMPORAL_TLS: must not be false when TEMPORAL_API_KEY is set',
  ]);
  for (const [given, missing] of [Object.keys(pair), Object.keys(pair).toReversed()]) {
    expect(mistakesOf({ ...address, [given!]: '/tls/one.pem' })).toEqual([
      `${missing}: is required when ${given} is set`,
    ]);
  }
  expect(mistakesOf({ ...address, TEMPORAL_API_KEY: 'two words' })).toEqual([
    'TEMPORAL_API_KEY: must be a key without spaces',
  ]);
});

test.each([
  ['https://user:password@clickhouse.example:8443/waymark?cluster=main-1', []],
  [
    'https://clickhouse.example/waymark?cluster=a%27b',
    ['CLICKHOUSE_URL: may have ?cluster=, a name of letters, digits, - and _, and no other query'],
  ],
  [
    'https://clickhouse.example/waymark?user=waymark',
    ['CLICKHOUSE_URL: may have ?cluster=, a name of letters, digits, - and _, and no other query'],
  ],
])('the URL of ClickHouse may name a cluster: %s', (url, mistakes) => {
  expect(mistakesOf({ CLICKHOUSE_URL: url })).toEqual(mistakes);
});
