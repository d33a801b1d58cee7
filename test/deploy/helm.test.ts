// @module-tag process

import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, inject, test, TestRunner } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '#config/load.ts';
import { edgeKeyOf, writeEdgeKey } from '#core/secrets/edge-key.ts';
import manifest from '../../package.json' with { type: 'json' };
import { secretNames } from '#config/schema.ts';
import { root } from '#scripts/lib/paths.ts';
import { createTestApi } from '#test/support/api.ts';
import { createTestEdge } from '#test/support/edge.ts';
import { reaches, type Resource, selectedBy } from './network-policies.ts';
import { imageEnvironment, readFromRoot, settingNames } from './settings.ts';
import { findHelm, findKubernetesValidate } from '#test/support/fetched-tools.ts';

// No cluster is at hand here: what one would refuse, or Waymark would, is looked for in what Helm makes of the chart.

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
  initContainers?: Container[];
  volumes: object[];
}

const chart = join(root, 'deploy/helm');
// Looked for, and where .ci/nightly says so fetched, only for tests that may start it.
const mayStart = TestRunner.matchesTags(['process']);
const helmFolder = mayStart ? findHelm() : undefined;
const helm = (...args: string[]) => spawnSync(join(helmFolder!, 'helm'), args, { encoding: 'utf8' });

/** What Helm makes of the chart; `values` beside its own. */
function render(values: object = {}): string {
  if (helmFolder === undefined) return '';
  const given = Object.entries(values).flatMap(([name, value]) => ['--set-json', `${name}=${JSON.stringify(value)}`]);
  const { stdout, stderr } = helm('template', 'waymark', chart, '--namespace', 'waymark', ...given);
  expect(stderr).toBe('');
  return stdout;
}

const readResources = (text: string): Resource[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as Resource | null)
    .filter((resource) => resource !== null);
let rendered: Resource[] | undefined;
/** The chart as it is; rendered by the first test that asks, since nothing is started before. */
const resources = (): Resource[] => (rendered ??= readResources(render()));
const ofKind = (kind: string, from = resources()): Resource[] => from.filter((resource) => resource.kind === kind);
const podOf = (resource: Resource): Pod => resource.spec.template.spec as Pod;
const runningOf = (from: Resource[]): Resource[] => [...ofKind('Deployment', from), ...ofKind('StatefulSet', from)];
const running = (): Resource[] => runningOf(resources());
const nameOf = ({ metadata }: Resource): string => metadata.name.replace('waymark-', '');
const names = ['api', 'edge', 'worker', 'migrate'] as const;
const all = () => [...running(), ...ofKind('Job')].map((resource) => [nameOf(resource), podOf(resource)] as const);
const podNamed = (name: string): Pod => all().find(([known]) => known === name)![1];
const secret = 'a-secret-of-32-characters-or-more';
const edgeSecret = writeEdgeKey(edgeKeyOf(secret));
// The secrets that docs/deploy.md tells to create.
const secrets: Record<string, Record<string, string>> = Object.fromEntries(
  [...readFromRoot('docs/deploy.md').matchAll(/^kubectl .*create secret generic (\S+) \\\n((?: .*\n)+)/gm)].map(
    ([, name, lines]) => [
      name!,
      Object.fromEntries(
        [...lines!.matchAll(/--from-literal=(\w+)=(\S*)/g)].map(([, key, value]) => [
          key!,
          value!.replace(/^SECRET$/, key === 'EDGE_SECRET_KEY' ? edgeSecret : secret),
        ]),
      ),
    ],
  ),
);
// How long each may take to end by itself, after SIGTERM.
const stopSeconds = { api: 20, edge: 20, worker: 30 } as const;

/** What a container finds in its environment. */
function environmentOf({ env = [], envFrom }: Container): Record<string, string> {
  const values: Record<string, string> = { ...imageEnvironment() };
  for (const { configMapRef, secretRef } of envFrom) {
    const settings = ofKind('ConfigMap').find(({ metadata }) => metadata.name === configMapRef?.name)?.data;
    Object.assign(values, settings ?? secrets[secretRef!.name]);
  }
  for (const { name, value } of env) values[name] = value;
  return values;
}

const componentOf = (resource: Resource): string =>
  resource.spec.template.metadata.labels['app.kubernetes.io/component'] as string;

describe.skipIf(helmFolder === undefined)('the chart', () => {
  test('Helm finds no fault in the chart, and every pod runs the image of this version', () => {
    const { status, stdout } = helm('lint', '--strict', chart);
    expect({ status, stdout }).toMatchObject({ status: 0 });
    const image = `registry.example.com/waymark:${manifest.version}`;
    for (const [, pod] of all()) expect(pod.containers[0].image).toBe(image);
  });

  test('an image is named by its digest, or for one component by a tag, for an upgrade in steps', () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const rendered = readResources(render({ image: { digest }, 'edge.tag': '0.0.9' }));
    const images = runningOf(rendered).map((resource) => [nameOf(resource), podOf(resource).containers[0].image]);
    expect(Object.fromEntries(images)).toEqual({
      api: `registry.example.com/waymark@${digest}`,
      worker: `registry.example.com/waymark@${digest}`,
      edge: 'registry.example.com/waymark:0.0.9',
    });
  });

  test('workers divide the kinds of work, and processes scale by their load', () => {
    const workers = {
      worker: null,
      front: { queues: 'workflows,webhooks,scans,mail' },
      bulk: { queues: 'bulk,bulk-scans' },
    };
    const rendered = readResources(render({ workers, 'api.autoscaling.enabled': true }));
    const queues = ofKind('Deployment', rendered).map((resource) => [
      nameOf(resource),
      podOf(resource).containers[0].env?.find(({ name }) => name === 'WORKER_TASK_QUEUES')?.value,
    ]);
    expect(Object.fromEntries(queues)).toEqual({
      api: undefined,
      front: workers.front.queues,
      bulk: workers.bulk.queues,
    });
    expect(ofKind('HorizontalPodAutoscaler', rendered).map(({ spec }) => spec)).toMatchObject([
      { scaleTargetRef: { kind: 'Deployment', name: 'waymark-api' }, minReplicas: 2, maxReplicas: 6 },
    ]);
    const api = ofKind('Deployment', rendered).find((resource) => nameOf(resource) === 'api')!;
    expect(api.spec).not.toHaveProperty('replicas');
  });

  test.each([
    [{ 'api.replica': 3 }, 'replica is not allowed'],
    [{ settings: { base_url: 'https://a.example' } }, 'base_url'],
    [{ 'settings.CLICK_RETENTON_DAYS': 30 }, 'CLICK_RETENTON_DAYS'],
    [{ 'workSettings.CLICKHOUSE_URL': 'https://waymark:secret@clickhouse.example.com' }, 'CLICKHOUSE_URL'],
    [{ workers: { api: {} } }, 'workers'],
    [{ 'image.digest': 'latest' }, 'image.digest'],
    [{ 'networkPolicies.database.ranges': [] }, 'ranges'],
  ])('values that no template reads are refused by name: %j', (values, problem) => {
    const given = Object.entries(values).flatMap(([name, value]) => ['--set-json', `${name}=${JSON.stringify(value)}`]);
    const { status, stderr } = helm('template', 'waymark', chart, ...given);
    expect(status).toBe(1);
    expect(stderr).toContain(problem);
  });

  test('the schema is migrated before the processes of a version, with settings that need no other resource', () => {
    const [job] = ofKind('Job') as [Resource];
    expect(job.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' });
    expect(podOf(job).containers[0].envFrom.filter(({ configMapRef }) => configMapRef)).toEqual([]);
  });

  test.each(names)('%s gets a configuration that it starts with', (name) => {
    const [container] = podNamed(name).containers;
    const { NODE_ENV: _mode, ...values } = environmentOf(container);
    expect(Object.keys(values).filter((setting) => !settingNames.has(setting))).toEqual([]);
    const config = loadConfig(values);
    expect(config).toMatchObject({ HOST: '0.0.0.0', EDGE_SCHEME: 'https', TEMPORAL_NAMESPACE: 'waymark' });
    if (name === 'api' || name === 'edge') expect(config.SERVE).toBe(name);
    // Their pods share no folder.
    expect(config.S3_BUCKET === undefined).toBe(name === 'edge' || name === 'migrate');
  });

  test.each(names)('%s does not run as root, writes only to its volumes, and gets no service variables', (name) => {
    const pod = podNamed(name);
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

  test.each(['api', 'edge', 'worker'] as const)('%s has the time to end what is under way', (name) => {
    const {
      terminationGracePeriodSeconds: grace,
      containers: [{ lifecycle }],
    } = podNamed(name);
    expect(grace).toBeGreaterThanOrEqual((lifecycle?.preStop.sleep.seconds ?? 0) + stopSeconds[name]);
    if (name !== 'worker') expect(lifecycle?.preStop.sleep.seconds).toBeGreaterThan(0);
  });

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

  test('edges open the GeoIP databases that the documented values put on a volume of theirs', () => {
    const [, block] = /^ {2}```yaml\n([^]*?)^ {2}```$/m.exec(readFromRoot('docs/deploy.md'))!;
    const values = parse(block!) as { settings: { GEOIP_DB: string }; edge: Record<string, object> };
    const edge = Object.entries(values.edge).map(([name, value]) => [`edge.${name}`, value]);
    const given = { 'settings.GEOIP_DB': values.settings.GEOIP_DB, ...Object.fromEntries(edge) };
    const pod = podOf(ofKind('StatefulSet', readResources(render(given)))[0]!);
    const [mount, copied] = [pod.containers[0], pod.initContainers![0]!].map(({ volumeMounts }) =>
      volumeMounts!.at(-1)!,
    );
    expect(pod.volumes).toContainEqual({ name: mount!.name, emptyDir: {} });
    expect(copied!.name).toBe(mount!.name);
    expect(pod.initContainers![0]!.command).toContain(copied!.mountPath);
    for (const path of values.settings.GEOIP_DB.split(',')) expect(dirname(path)).toBe(mount!.mountPath);
  });

  test('services select existing pods by ports that they have', () => {
    const podLabels = running().map((resource) => resource.spec.template.metadata.labels as Record<string, string>);
    const matching = (labels: Record<string, string>) =>
      podLabels.filter((own) => Object.entries(labels).every(([name, value]) => own[name] === value));
    for (const resource of running()) expect(matching(resource.spec.selector.matchLabels)).toHaveLength(1);
    for (const { spec } of ofKind('PodDisruptionBudget')) expect(matching(spec.selector.matchLabels)).toHaveLength(1);
    for (const { spec } of ofKind('Service')) expect(matching(spec.selector)).toHaveLength(1);
    expect(ofKind('PodDisruptionBudget')).toHaveLength(running().length);
    const ports = new Set(
      running().flatMap((resource) => (podOf(resource).containers[0].ports ?? []).map(({ name }) => name)),
    );
    const used = ofKind('NetworkPolicy').flatMap(({ spec }) =>
      ((spec.ingress ?? []) as { ports: { port: string }[] }[]).flatMap(({ ports }) => ports.map(({ port }) => port)),
    );
    expect(used.toSorted()).toEqual(['http', 'internal', 'metrics']);
    const components = new Set([...running(), ...ofKind('Job')].map(componentOf));
    const named = ofKind('NetworkPolicy').flatMap(({ spec }) => selectedBy(spec.podSelector));
    expect(named.filter((name) => !components.has(name))).toEqual([]);
    expect(used.filter((name) => !ports.has(name))).toEqual([]);
  });

  test('only connections that a network policy names are allowed', () => {
    const closed = ofKind('NetworkPolicy').filter(({ spec }) => (spec.ingress ?? spec.egress) === undefined);
    const pods = { matchLabels: { 'app.kubernetes.io/name': 'waymark', 'app.kubernetes.io/instance': 'waymark' } };
    expect(closed.map(({ spec }) => spec)).toEqual([{ podSelector: pods, policyTypes: ['Ingress', 'Egress'] }]);
  });

  const database = '10.20.0.7:5432';
  const temporal = 'temporal:7233';
  const dns = 'kube-system/kube-dns:53';
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
    ['edge', [database, dns]],
    ['api', [database, dns, temporal, bucket, receivers[0]!, receivers[2]!]],
    ['worker', [database, dns, temporal, bucket, ...receivers]],
    ['migrate', [database, dns]],
  ])('%s reaches what it needs and nothing else', (component, allowed) => {
    const targets = [database, temporal, dns, bucket, ...receivers, ...never];
    expect(targets.filter((target) => reaches(ofKind('NetworkPolicy'), component, target)).toSorted()).toEqual(
      allowed.toSorted(),
    );
  });

  test.each(names)('%s reaches ClickHouse where its addresses are given, and only by its port', (component) => {
    const clickhouse = { 'networkPolicies.clickhouse.ranges': ['10.30.0.0/24'] };
    const policies = ofKind('NetworkPolicy', readResources(render(clickhouse)));
    const targets = [database, '10.30.0.7:8443', '10.30.0.7:22', '10.31.0.7:8443'];
    expect(targets.filter((target) => reaches(policies, component, target))).toEqual([database, '10.30.0.7:8443']);
  });

  test('edges get neither the secret key nor the role that owns the tables', () => {
    for (const [name, pod] of all()) {
      const given = Object.keys(environmentOf(pod.containers[0]));
      const secrets = given.filter((setting) => secretNames.some((secretName) => secretName === setting)).toSorted();
      if (name === 'edge') expect(secrets).toEqual(['EDGE_DATABASE_URL', 'EDGE_SECRET_KEY']);
      else expect(secrets).toEqual(expect.arrayContaining(['DATABASE_URL', 'SECRET_KEY']));
    }
    const [, migrate] = all().find(([name]) => name === 'migrate')!;
    const role = new URL(secrets['waymark-edge']!.EDGE_DATABASE_URL!).username;
    expect(migrate.containers[0].command).toEqual(['node', 'scripts/cli.ts', 'migrate', '--edge-role', role]);
  });

  test('the pods publish metrics on the ports that serve them', () => {
    for (const [container] of running().map((resource) => podOf(resource).containers)) {
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
      const [, pod] = all().find(([known]) => known === name)!;
      const { ports, startupProbe, readinessProbe, livenessProbe } = pod.containers[0];
      expect(ports).toContainEqual({ name: 'http', containerPort: name === 'api' ? 3000 : 3001 });
      for (const probe of [startupProbe, readinessProbe, livenessProbe]) {
        const { port, path } = probe!.httpGet!;
        expect(await ask[`${name} ${port}`]!(path)).toBe(200);
      }
    }
    const [, edgePod] = all().find(([known]) => known === 'edge')!;
    const { EDGE_INTERNAL_PORT: internalPort } = environmentOf(edgePod.containers[0]);
    expect(edgePod.containers[0].ports).toContainEqual({ name: 'internal', containerPort: Number(internalPort) });
    const [, worker] = all().find(([known]) => known === 'worker')!;
    const { readinessProbe, livenessProbe } = worker.containers[0];
    // `test/worker.test.ts` asks both of a worker.
    expect(readinessProbe!.httpGet).toEqual({ path: '/readyz', port: 'metrics' });
    expect(livenessProbe!.httpGet).toEqual({ path: '/healthz', port: 'metrics' });
  });

  const validator = helmFolder === undefined ? undefined : findKubernetesValidate();
  test.skipIf(validator === undefined)(
    'Kubernetes knows every field, whatever is switched on',
    { tags: 'nightly' },
    () => {
      const file = join(mkdtempSync(join(inject('stack').folder, 'helm-')), 'resources.yaml');
      const everything = {
        'ingress.enabled': true,
        'ingress.tlsSecret': 'certificate',
        'networkPolicies.temporal': '',
        'networkPolicies.clickhouse.ranges': ['10.30.0.0/24'],
        'networkPolicies.egress': [{ to: [{ ipBlock: { cidr: '10.9.0.0/24' } }], ports: [{ port: 8443 }] }],
        'edge.initContainers': [
          { name: 'geoip', image: 'geoip', volumeMounts: [{ name: 'geoip', mountPath: '/copy' }] },
        ],
        'edge.extraVolumes': [{ name: 'geoip', emptyDir: {} }],
        'edge.extraVolumeMounts': [{ name: 'geoip', mountPath: '/geoip', readOnly: true }],
        ...Object.fromEntries(['api', 'edge', 'worker'].map((name) => [`${name}.autoscaling.enabled`, true])),
      };
      writeFileSync(file, [render(), render(everything)].join('\n---\n'));
      const { args, env } = validator!;
      const { status, stdout } = spawnSync('python3', [...args, file], { encoding: 'utf8', env });
      expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    },
  );

  test('the Prometheus operator finds the metrics of every pod', () => {
    const rendered = readResources(render({ 'podMonitor.enabled': true }));
    const [monitor] = ofKind('PodMonitor', rendered) as [Resource];
    expect(monitor.spec.podMetricsEndpoints).toEqual([{ port: 'metrics', interval: '15s' }]);
    for (const { spec } of runningOf(rendered))
      expect(spec.template.metadata.labels).toMatchObject(monitor.spec.selector.matchLabels);
  });
});
