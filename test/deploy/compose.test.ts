import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '#config/load.ts';
import { edgeKeyOf, writeEdgeKey } from '#core/secrets/edge-key.ts';
import { configSections, secretNames } from '#config/schema.ts';
import { root } from '#scripts/lib/paths.ts';
import { imageEnvironment, readFromRoot, settingNames } from './settings.ts';
import { hasCommand } from '#test/support/commands.ts';

// No container engine is at hand here: what an engine would refuse, or Waymark would, is looked for.

interface Service {
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  volumes?: string[];
  networks?: string[];
  ports?: string[];
  user?: string;
  healthcheck?: { test?: string[] };
}

const text = readFromRoot('deploy/compose.yaml');
const compose = parse(text, { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  networks: Record<string, unknown>;
};
const services = Object.entries(compose.services);
const own = services.filter(([, { image }]) => image.startsWith('${WAYMARK_IMAGE'));
const example = readFromRoot('deploy/compose.env.example');
const password = 'a secret of 32 characters or more'.replaceAll(' ', '-');
const given = new Map(
  [...example.matchAll(/^(?:# )?([A-Z0-9_]+)=(.*)$/gm)].map(([, name, value]) => [
    name!,
    value || (name === 'EDGE_SECRET_KEY' ? writeEdgeKey(edgeKeyOf(password)) : password),
  ]),
);

/** Puts the values of the example into what compose would. */
function fill(value: string): string {
  return value.replaceAll(/\$\{([A-Z0-9_]+)(?::[-?]([^}]*))?\}/g, (_all, name: string) => given.get(name) ?? '');
}

describe('compose.yaml', () => {
  test('compose.yaml names only files that exist', () => {
    const names = new Set(Object.keys(compose.services));
    for (const [, { depends_on: needs = {}, volumes = [], networks = [] }] of services) {
      expect(Object.keys(needs).filter((name) => !names.has(name))).toEqual([]);
      expect(networks.filter((name) => !(name in compose.networks))).toEqual([]);
      for (const [source = ''] of volumes.map((volume) => volume.split(':'))) {
        const isThere = source.startsWith('.') ? existsSync(join(root, 'deploy', source)) : source in compose.volumes;
        expect({ source, isThere }).toEqual({ source, isThere: true });
      }
    }
  });

  test('compose.yaml takes every setting that its example explains, and those of Waymark alone beside them', () => {
    const asked = [text, readFromRoot('deploy/Caddyfile')].flatMap((file) => [...file.matchAll(/\$\{([A-Z0-9_]+)/g)]);
    const names = new Set(asked.map(([, name]) => name!));
    expect([...given.keys()].filter((name) => !names.has(name))).toEqual([]);
    expect([...names].filter((name) => !given.has(name) && !settingNames.has(name))).toEqual([]);
  });

  test('compose.yaml sets every setting of Waymark itself or takes it from deploy/.env', () => {
    const set = new Set([
      ...own.flatMap(([, { environment = {} }]) => Object.keys(environment)),
      ...Object.keys(imageEnvironment()),
    ]);
    const missing = [...settingNames].filter(
      (name) => !set.has(name) && !(name in configSections['Only for npm start']),
    );
    expect(missing).toEqual([
      // The image's own defaults.
      'PORT',
      'EDGE_PORT',
      // EDGE_URL replaces them, and has a public host.
      'PLATFORM_DOMAIN',
      'EDGE_SCHEME',
      'PLATFORM_ADDRESS',
      // Temporal is on the same network.
      'TEMPORAL_TLS',
      'TEMPORAL_API_KEY',
      'TEMPORAL_TLS_CA_FILE',
      'TEMPORAL_TLS_CERT_FILE',
      'TEMPORAL_TLS_KEY_FILE',
      // Set by the build of the image.
      'BUILD_COMMIT',
      // deploy/.env is a file itself.
      ...secretNames.map((name) => `${name}_FILE`),
    ]);
  });

  test('compose.yaml runs an API, an edge, a worker and the migrations from one image, not as root', () => {
    expect(own.map(([name]) => name).toSorted()).toEqual(['api', 'edge', 'migrate', 'worker']);
    for (const [, service] of own) expect(service).toMatchObject({ user: '1000:1000', read_only: true });
  });

  test.each(own)('%s gets a configuration that it starts with', (name, { environment = {} }) => {
    expect(Object.keys(environment).filter((setting) => !settingNames.has(setting))).toEqual([]);
    const values = Object.entries(environment).map(([setting, value]) => [setting, fill(value)] as const);
    const config = loadConfig({ ...imageEnvironment(), ...Object.fromEntries(values) });
    expect(config).toMatchObject({
      HOST: '0.0.0.0',
      BASE_URL: 'https://api.example.com',
      PLATFORM_DOMAIN: 'go.example.com',
      EDGE_SCHEME: 'https',
    });
    if (name !== 'edge') expect(config.TEMPORAL_ADDRESS).toBe('temporal:7233');
    const secrets = Object.keys(environment).filter((setting) => secretNames.some((secret) => secret === setting));
    // Strangers reach it: it gets nothing that opens what is sealed, nor a role that reads it.
    if (name === 'edge') {
      expect(secrets.toSorted()).toEqual(['CLICKHOUSE_URL', 'EDGE_DATABASE_URL', 'EDGE_SECRET_KEY']);
      expect(environment.CLICKHOUSE_URL).toBe('${EDGE_CLICKHOUSE_URL:-}');
    }
    if (name !== 'edge') expect(secrets).toEqual(expect.arrayContaining(['DATABASE_URL', 'SECRET_KEY']));
    expect(config.TRUSTED_PROXIES).toHaveLength(1);
    if (name === 'api' || name === 'edge') expect(config.SERVE).toBe(name);
  });

  test('compose.yaml waits for the migrations, keeps journals and files on volumes, and checks health by its own addresses', () => {
    const { api, edge, worker, migrate } = compose.services;
    for (const service of [api, edge, worker]) {
      expect(service!.depends_on).toEqual({ migrate: { condition: 'service_completed_successfully' } });
    }
    expect(migrate!.depends_on).toMatchObject({ postgres: { condition: 'service_healthy' } });
    const { WAYMARK_DATA_DIR: dataDir } = imageEnvironment();
    expect(edge!.volumes).toEqual([`edge:${dataDir}`]);
    expect([api!.volumes, worker!.volumes]).toEqual([[`files:${dataDir}`], [`files:${dataDir}`]]);
    expect(api!.healthcheck?.test?.join(' ')).toContain('127.0.0.1:3000/healthz');
    expect(edge!.healthcheck?.test?.join(' ')).toContain('127.0.0.1:3001/.well-known/waymark/healthz');
    expect(worker!.healthcheck?.test?.join(' ')).toContain(`127.0.0.1:${imageEnvironment().METRICS_PORT}/healthz`);
  });

  test("makes the edge's role, and gives it its rights with the migrations", () => {
    const { username } = new URL(fill(compose.services.edge!.environment!.EDGE_DATABASE_URL!));
    expect(readFromRoot('deploy/postgres/init.sh')).toContain(`create role ${username} login password`);
    expect(compose.services.migrate!.command).toEqual(['node', 'scripts/cli.ts', 'migrate', '--edge-role', username]);
  });

  test('compose.yaml publishes the ports of Caddy alone', () => {
    const open = services.filter(([, { ports = [] }]) => ports.some((port) => !port.startsWith('127.0.0.1:')));
    expect(open.map(([name]) => name)).toEqual(['caddy']);
    const front = services.filter(([, { networks = [] }]) => networks.includes('front'));
    expect(front.map(([name]) => name).toSorted()).toEqual(['api', 'caddy', 'edge']);
  });
});

describe('the Caddyfile', () => {
  test('the Caddyfile has the addresses of the services, and asks the edge before it fetches a certificate', () => {
    const file = readFromRoot('deploy/Caddyfile');
    expect(file).toContain('ask http://edge:3002/.well-known/waymark/tls-allowed');
    expect([...file.matchAll(/dynamic a (\S+ \d+)/g)].map(([, upstream]) => upstream)).toEqual([
      'api 3000',
      'edge 3001',
    ]);
  });

  // Skipped where caddy is not on the PATH: nothing that npm brings has it.
  test.skipIf(!hasCommand('caddy'))('Caddy accepts the Caddyfile', { tags: 'process' }, () => {
    const { status, stderr } = spawnSync(
      'caddy',
      ['validate', '--config', 'deploy/Caddyfile', '--adapter', 'caddyfile'],
      {
        cwd: root,
        env: { ...process.env, ACME_EMAIL: 'you@example.com', API_DOMAIN: 'api.example.com' },
        encoding: 'utf8',
      },
    );
    // What it says comes along, should it not be pleased.
    expect({ status, stderr }).toEqual({ status: 0, stderr });
  });
});
