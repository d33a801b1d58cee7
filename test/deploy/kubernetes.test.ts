import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '#config/load.ts';
import { edgeKeyOf, writeEdgeKey } from '#core/secrets/edge-key.ts';
import manifest from '../../package.json' with { type: 'json' };
import { secretNames } from '#config/schema.ts';
import { root } from '#scripts/lib/paths.ts';
import { createTestApi } from '#test/support/api.ts';
import { createTestEdge } from '#test/support/edge.ts';
import { imageEnvironment, readFromRoot, settingNames } from './settings.ts';
import { hasCommand } from '#test/support/commands.ts';

// No cluster is at hand here: what one would refuse, or Waymark would, is looked for.

interface Probe {
  httpGet?: { path: string; port: string };
  exec?: { command: string[] };
}

interface Container {
  name: string;
  image: string;
  command: string[];
  env?: { name: string; value: string }[];
  envFrom: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  ports?: { name: string; containerPort: number }[];
  volumeMounts?: { name: string; mountPath: string }[];
  startupProbe?: Probe;
  readinessProbe?: Probe;
  livenessProbe?: Probe;
  lifecycle?: { preStop: { sleep: { seconds: number } } };
  securityContext: object;
}

interface Pod {
  enableServiceLinks: boolean;
  automountServiceAccountToken: boolean;
  terminationGracePeriodSeconds: number;
  securityContext: object;
  containers: [Container];
}

interface Resource {
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  // oxlint-disable-next-line typescript/no-explicit-any -- specs of many kinds
  spec?: any;
}

const folder = 'deploy/kubernetes';
const files = readdirSync(join(root, folder));
const read = (file: string): Resource[] =>
  parseAllDocuments(readFromRoot(`${folder}/${file}`)).map((document) => document.toJS() as Resource);
const kustomization = parse(readFromRoot(`${folder}/kustomization.yaml`)) as {
  resources: string[];
  images: { name: string; newTag: string }[];
};
const template = 'secrets.example.yaml';
const resources = kustomization.resources.flatMap(read);
const ofKind = (kind: string): Resource[] => resources.filter((resource) => resource.kind === kind);
const podOf = (resource: Resource): Pod => resource.spec.template.spec as Pod;
const running = [...ofKind('Deployment'), ...ofKind('StatefulSet')];
const all = [...running, ...ofKind('Job')].map((resource) => [resource.metadata.name, podOf(resource)] as const);
const secret = 'a-secret-of-32-characters-or-more';
const edgeSecret = writeEdgeKey(edgeKeyOf(secret));
// How long each may take to end by itself, after SIGTERM.
const stopSeconds = { api: 20, edge: 20, worker: 30 } as const;

/** What a container finds in its environment; secrets of the template are filled in. */
function environmentOf({ env = [], envFrom }: Container): Record<string, string> {
  const sources = [...resources, ...read(template)];
  const values: Record<string, string> = { ...imageEnvironment() };
  for (const { configMapRef, secretRef } of envFrom) {
    const kind = configMapRef === undefined ? 'Secret' : 'ConfigMap';
    const { name } = configMapRef ?? secretRef!;
    const source = sources.find((resource) => resource.kind === kind && resource.metadata.name === name);
    for (const [key, value] of Object.entries(source!.data ?? source!.stringData!))
      values[key] = value || (key === 'EDGE_SECRET_KEY' ? edgeSecret : secret);
  }
  for (const { name, value } of env) values[name] = value;
  return values;
}

const componentOf = (resource: Resource): string =>
  resource.spec.template.metadata.labels['app.kubernetes.io/component'] as string;

/** Components that a selector of pods names. */
function selectedBy({ matchLabels = {}, matchExpressions = [] }: Selector): string[] {
  const key = 'app.kubernetes.io/component';
  return [matchLabels[key] ?? [], matchExpressions.flatMap(({ values }) => values)].flat();
}

interface Selector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values: string[] }[];
}

interface Peer {
  ipBlock?: { cidr: string; except?: string[] };
  namespaceSelector?: { matchLabels: Record<string, string> };
  podSelector?: { matchLabels: Record<string, string> };
}

/**
 * Whether a policy lets pods of a component out to `address:port`, or to `namespace[/app]:port`: policies add up, and a pod that
 * none names goes nowhere.
 */
function reaches(component: string, target: string): boolean {
  const [, host = '', port = ''] = /^\[?([^\]]*?)\]?:(\d+)$/.exec(target) ?? [];
  const [namespace, app] = host.split('/');
  const matches = ({ ipBlock, namespaceSelector, podSelector }: Peer): boolean => {
    if (ipBlock === undefined) {
      const isNamespace = namespaceSelector?.matchLabels['kubernetes.io/metadata.name'] === namespace;
      return isNamespace && podSelector?.matchLabels['k8s-app'] === app;
    }
    if (isIP(host) === 0) return false;
    const address = ipaddr.parse(host);
    return [ipBlock.cidr, ...(ipBlock.except ?? [])].every((cidr, index) => {
      const [base, bits] = ipaddr.parseCIDR(cidr);
      return (base.kind() === address.kind() && address.match(base, bits)) === (index === 0);
    });
  };
  return ofKind('NetworkPolicy').some(({ spec }) => {
    if (!selectedBy(spec.podSelector as Selector).includes(component)) return false;
    return ((spec.egress ?? []) as { to: Peer[]; ports: { port: number; endPort?: number }[] }[]).some(
      ({ to, ports }) =>
        to.some(matches) &&
        ports.some(({ port: first, endPort = first }) => Number(port) >= first && Number(port) <= endPort),
    );
  });
}

describe('the manifests', () => {
  test('kustomization.yaml applies every manifest but the template of the secrets, with the image of this version', () => {
    const left = files.filter((file) => !kustomization.resources.includes(file));
    expect(left.toSorted()).toEqual(['kustomization.yaml', template]);
    expect(kustomization.images).toMatchObject([{ name: 'waymark', newTag: manifest.version }]);
    for (const [, pod] of all) expect(pod.containers[0].image).toBe('waymark');
  });

  test.each(all)('%s gets a configuration that it starts with', (name, { containers: [container] }) => {
    const { NODE_ENV: _mode, ...values } = environmentOf(container);
    expect(Object.keys(values).filter((setting) => !settingNames.has(setting))).toEqual([]);
    const config = loadConfig(values);
    expect(config).toMatchObject({ HOST: '0.0.0.0', EDGE_SCHEME: 'https', TEMPORAL_NAMESPACE: 'waymark' });
    if (name === 'api' || name === 'edge') expect(config.SERVE).toBe(name);
    // Their pods share no folder.
    expect(config.S3_BUCKET === undefined).toBe(name === 'edge' || name === 'migrate');
  });

  test.each(all)('%s does not run as root, writes only to its volumes, and gets no service variables', (_name, pod) => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 });
    expect(pod.containers[0].securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod.securityContext).toMatchObject({ seccompProfile: { type: 'RuntimeDefault' } });
    expect(pod.automountServiceAccountToken).toBe(false);
    // EDGE_PORT would be an address, and no port.
    expect(pod.enableServiceLinks).toBe(false);
  });

  test.each(running.map((resource) => [resource.metadata.name as keyof typeof stopSeconds, podOf(resource)] as const))(
    '%s has the time to end what is under way',
    (name, { terminationGracePeriodSeconds: grace, containers: [{ lifecycle }] }) => {
      expect(grace).toBeGreaterThanOrEqual((lifecycle?.preStop.sleep.seconds ?? 0) + stopSeconds[name]);
      if (name !== 'worker') expect(lifecycle?.preStop.sleep.seconds).toBeGreaterThan(0);
    },
  );

  test('the journals of edges are on volumes that outlive them', () => {
    const [edge] = ofKind('StatefulSet') as [Resource];
    expect(edge.spec).toMatchObject({
      volumeClaimTemplates: [{ metadata: { name: 'data' } }],
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
    });
    const { WAYMARK_DATA_DIR: dataDir } = imageEnvironment();
    expect(podOf(edge).containers[0].volumeMounts).toContainEqual({ name: 'data', mountPath: dataDir });
    expect(ofKind('Service').map(({ metadata }) => metadata.name)).toContain(edge.spec.serviceName);
  });

  test('services select existing pods by ports that they have', () => {
    const podLabels = running.map((resource) => resource.spec.template.metadata.labels as Record<string, string>);
    const matching = (labels: Record<string, string>) =>
      podLabels.filter((own) => Object.entries(labels).every(([name, value]) => own[name] === value));
    for (const resource of running) expect(matching(resource.spec.selector.matchLabels)).toHaveLength(1);
    for (const { spec } of ofKind('PodDisruptionBudget')) expect(matching(spec.selector.matchLabels)).toHaveLength(1);
    for (const { spec } of ofKind('Service')) expect(matching(spec.selector)).toHaveLength(1);
    expect(ofKind('PodDisruptionBudget')).toHaveLength(running.length);
    const names = new Set(
      running.flatMap((resource) => (podOf(resource).containers[0].ports ?? []).map(({ name }) => name)),
    );
    const used = ofKind('NetworkPolicy').flatMap(({ spec }) =>
      ((spec.ingress ?? []) as { ports: { port: string }[] }[]).flatMap(({ ports }) => ports.map(({ port }) => port)),
    );
    expect(used.toSorted()).toEqual(['http', 'internal', 'metrics']);
    const components = new Set([...running, ...ofKind('Job')].map(componentOf));
    const named = ofKind('NetworkPolicy').flatMap(({ spec }) => selectedBy(spec.podSelector));
    expect(named.filter((name) => !components.has(name))).toEqual([]);
    expect(used.filter((name) => !names.has(name))).toEqual([]);
  });

  test('only connections that a network policy names are allowed', () => {
    const closed = ofKind('NetworkPolicy').filter(({ spec }) => (spec.ingress ?? spec.egress) === undefined);
    expect(closed.map(({ spec }) => spec)).toEqual([{ podSelector: {}, policyTypes: ['Ingress', 'Egress'] }]);
  });

  const database = '10.20.0.7:5432';
  const temporal = 'temporal:7233';
  const names = 'kube-system/kube-dns:53';
  const bucket = '52.218.0.1:443';
  const receivers = ['93.184.215.14:443', '93.184.215.14:8443', '[2606:2800:21f:cb07::1]:443'];
  // Machines hand out credentials there; everything else is the cluster's, or another customer's.
  const never = [
    '169.254.169.254:80',
    '[fd00:ec2::254]:80',
    '[fe80::1]:443',
    '[::ffff:10.0.0.1]:443',
    '[64:ff9b::a00:1]:443',
    '[2002:a00:1::]:443',
    '127.0.0.1:443',
    '10.20.0.7:22',
    '10.0.0.1:443',
    '172.16.0.1:443',
    '192.168.1.1:443',
    '100.64.0.1:443',
    '0.0.0.0:443',
    '224.0.0.1:443',
    'default:443',
  ];
  test.each([
    ['edge', [database, names]],
    ['api', [database, names, temporal, bucket, receivers[0]!, receivers[2]!]],
    ['worker', [database, names, temporal, bucket, ...receivers]],
    ['migrate', [database, names]],
  ])('%s reaches what it needs and nothing else', (component, allowed) => {
    const all = [database, temporal, names, bucket, ...receivers, ...never];
    expect(all.filter((target) => reaches(component, target)).toSorted()).toEqual(allowed.toSorted());
  });

  test('edges get neither the secret key nor the role that owns the tables', () => {
    for (const [name, pod] of all) {
      const given = Object.keys(environmentOf(pod.containers[0]));
      const secrets = given.filter((setting) => secretNames.some((secretName) => secretName === setting)).toSorted();
      if (name === 'edge') expect(secrets).toEqual(['EDGE_DATABASE_URL', 'EDGE_SECRET_KEY']);
      else expect(secrets).toEqual(expect.arrayContaining(['DATABASE_URL', 'SECRET_KEY']));
    }
    const [, migrate] = all.find(([name]) => name === 'migrate')!;
    const edge = read(template).find(({ metadata }) => metadata.name === 'waymark-edge')!;
    const role = new URL(edge.stringData!.EDGE_DATABASE_URL!).username;
    expect(migrate.containers[0].command).toEqual(['node', 'scripts/cli.ts', 'migrate', '--edge-role', role]);
  });

  test('the manifests publish metrics on the ports that serve them', () => {
    for (const [container] of running.map((resource) => podOf(resource).containers)) {
      const { METRICS_HOST: host, METRICS_PORT: port } = environmentOf(container);
      expect(host).toBe('0.0.0.0');
      expect(container.ports).toContainEqual({ name: 'metrics', containerPort: Number(port) });
    }
  });

  test('the probes ask addresses that answer', { tags: 'slow' }, async () => {
    await using api = await createTestApi();
    await using edge = await createTestEdge({ internalPort: 0 });
    const ask: Record<string, (path: string) => Promise<number>> = {
      'api http': async (path) => (await api.call('GET', path)).status,
      'edge http': async (path) => (await edge.visit(path)).status,
      'edge internal': async (path) => (await fetch(edge.edge.internalAddress()! + path)).status,
    };
    for (const name of ['api', 'edge'] as const) {
      const [, pod] = all.find(([known]) => known === name)!;
      const { ports, startupProbe, readinessProbe, livenessProbe } = pod.containers[0];
      expect(ports).toContainEqual({ name: 'http', containerPort: name === 'api' ? 3000 : 3001 });
      for (const probe of [startupProbe, readinessProbe, livenessProbe]) {
        const { port, path } = probe!.httpGet!;
        expect(await ask[`${name} ${port}`]!(path)).toBe(200);
      }
    }
    const [, edgePod] = all.find(([known]) => known === 'edge')!;
    const { EDGE_INTERNAL_PORT: internalPort } = environmentOf(edgePod.containers[0]);
    expect(edgePod.containers[0].ports).toContainEqual({ name: 'internal', containerPort: Number(internalPort) });
    const [, worker] = all.find(([known]) => known === 'worker')!;
    const { readinessProbe, livenessProbe } = worker.containers[0];
    // `test/worker.test.ts` asks both of a worker.
    expect(readinessProbe!.httpGet).toEqual({ path: '/readyz', port: 'metrics' });
    expect(livenessProbe!.httpGet).toEqual({ path: '/healthz', port: 'metrics' });
  });

  // Skipped where kubernetes-validate, which brings the schemas along, is not on the PATH.
  test.skipIf(!hasCommand('kubernetes-validate'))(
    'kubernetes-validate accepts the manifests',
    { tags: 'process' },
    () => {
      const paths = [...kustomization.resources, template].map((file) => join(root, folder, file));
      const { status, stdout } = spawnSync('kubernetes-validate', ['--strict', '--quiet', ...paths], {
        encoding: 'utf8',
      });
      expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    },
  );
});
