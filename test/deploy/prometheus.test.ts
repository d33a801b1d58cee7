// @module-tag process

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { connectTemporal } from '#adapters/temporal/client.ts';
import { root } from '#scripts/lib/paths.ts';
import { childEnvironment } from '#test/support/child-environment.ts';
import { findPromtool } from '#test/support/fetched-tools.ts';
import { eventually } from '#test/support/eventually.ts';
import { freeNeighbours, freePorts } from '#test/support/free-ports.ts';
import { createTestDatabase, temporalForTest } from '#test/support/stack.ts';
import { readFromRoot } from './settings.ts';

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string };
}

const { groups } = parse(readFromRoot('deploy/prometheus/alerts.yaml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(readFromRoot('deploy/grafana/waymark.json')) as {
  panels: { type: string; title: string; description?: string; targets?: { expr: string }[] }[];
};
const charts = panels.filter(({ type }) => type !== 'row');
const selector = /\b((?:waymark|nodejs|process|temporal)_[a-z0-9_]+)(?:\{([^}]*)\})?/g;

/** Metrics that a rule asks for, with the labels and values that it wants of them. */
function selectorsOf(expr: string): { name: string; labels: { label: string; values: string[] }[] }[] {
  return [...expr.matchAll(selector)].map(([, name, wanted = '']) => ({
    name: name!,
    labels: [...wanted.matchAll(/(\w+)(?:=~|!=|=)"([^"]*)"/g)].map(([, label, values]) => ({
      label: label!,
      values: values!.split('|'),
    })),
  }));
}

/** Starts the three processes as an operator does, and scrapes each. */
async function scrapeAll(): Promise<string> {
  await using database = await createTestDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'waymark-metrics-'));
  const [apiPort, edgePort, apiMetrics, edgeMetrics] = await freePorts(4);
  const workerMetrics = await freeNeighbours(2);
  const { address, namespace, taskQueue } = temporalForTest();
  const env = {
    ...childEnvironment,
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: address,
    TEMPORAL_TASK_QUEUE: taskQueue,
    SECRET_KEY: 'k'.repeat(32),
    WAYMARK_DATA_DIR: dataDir,
    PORT: String(apiPort),
    EDGE_PORT: String(edgePort),
    LOG_LEVEL: 'silent',
    // Without an answer, the lists are there all the same.
    WEB_RISK_ENDPOINT: 'http://127.0.0.1:1',
    WEB_RISK_MODE: 'lists',
  };
  const starts = [
    { script: 'server.ts', port: apiMetrics!, more: { SERVE: 'api' } },
    { script: 'server.ts', port: edgeMetrics!, more: { SERVE: 'edge' } },
    { script: 'worker.ts', port: workerMetrics, more: {} },
  ];
  const children = starts.map(({ script, port, more }) =>
    spawn(process.execPath, [join(root, script)], {
      env: { ...env, ...more, METRICS_PORT: String(port) },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    }),
  );
  try {
    await Promise.all(children.map((child) => once(child, 'message')));
    // A request, so that its histogram has a series.
    await fetch(`http://127.0.0.1:${apiPort}/healthz`);
    // A workflow whose code fails, so that the SDK has a count of such tasks.
    const client = await connectTemporal({ address, namespace });
    const broken = await client.workflow.start('no such type', { taskQueue, workflowId: `broken/${taskQueue}` });
    // A run that ends as failed, after the five tries of its activity.
    const input = { linkId: 'no id' };
    await client.workflow.start('frameCheck', { taskQueue, workflowId: `failed/${taskQueue}`, args: [input] });
    await eventually(
      async () => (await fetch(`http://127.0.0.1:${workerMetrics}/metrics`)).text(),
      (text) => text.includes('task_execution_failed') && text.includes('temporal_workflow_failed_total'),
    );
    await broken.terminate();
    await client.connection.close();
    const texts = starts.map(async ({ port }) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
    return (await Promise.all(texts)).join('\n');
  } finally {
    const ends = children.map(async (child) => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    });
    await Promise.all(ends);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

// Which answers there have been is not known beforehand.
const openLabels = new Set(['status']);

test(
  'every alert asks for metrics, labels and values that the processes really tell, and every chart for metrics',
  { tags: 'nightly' },
  async () => {
    expect(rules.length).toBeGreaterThan(20);
    const text = await scrapeAll();
    const lines = text.split('\n').filter((line) => !line.startsWith('#'));
    // What has not happened yet, such as an attempt at a webhook, has no series: a chart is empty then.
    const isMeasured = (name: string): boolean =>
      text.includes(`# TYPE ${name} `) || lines.some((line) => /^[^{ ]*/.exec(line)![0] === name);
    for (const { title, targets = [] } of charts)
      for (const { name } of targets.flatMap(({ expr }) => selectorsOf(expr)))
        expect([title, name, isMeasured(name)]).toEqual([title, name, true]);
    for (const { alert, expr } of rules) {
      const wanted = selectorsOf(expr);
      expect([alert, wanted.length > 0 || expr.startsWith('up{')]).toEqual([alert, true]);
      for (const { name, labels } of wanted) {
        const series = lines.filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
        expect([alert, name, series.length > 0]).toEqual([alert, name, true]);
        for (const { label, values } of labels) {
          expect([alert, label, series.some((line) => line.includes(`${label}="`))]).toEqual([alert, label, true]);
          if (openLabels.has(label)) continue;
          for (const value of values)
            expect([alert, name, value, series.some((line) => line.includes(`${label}="${value}"`))]).toContain(true);
        }
      }
    }
  },
);

const promtool = findPromtool();

describe.skipIf(promtool === undefined)('promtool', { tags: 'nightly' }, () => {
  let folder: string;
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'waymark-promtool-'))));
  afterEach(() => rmSync(folder, { recursive: true }));
  const ask = (...args: string[]): string =>
    execFileSync(promtool!, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

  test('every alert tells within the time of its rule once what it watches goes wrong, and none does before', () => {
    const cases = 'alerts.promtool.yaml';
    const { tests } = parse(readFromRoot(join('test/deploy', cases))) as {
      tests: { alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[] }[];
    };
    const provoked = tests.flatMap(({ alert_rule_test: steps }) => steps.filter((step) => step.exp_alerts?.length));
    expect(provoked.map(({ alertname }) => alertname)).toEqual(rules.map(({ alert }) => alert));
    cpSync(join(root, 'deploy/prometheus/alerts.yaml'), join(folder, 'alerts.yaml'));
    cpSync(join(root, 'test/deploy', cases), join(folder, cases));
    expect(ask('test', 'rules', cases)).toContain('SUCCESS');
  });

  test('the rules, the example that loads them and every expression of the dashboard are right', () => {
    for (const file of ['alerts.yaml', 'prometheus.yaml'])
      cpSync(join(root, 'deploy/prometheus', file), join(folder, file));
    expect(ask('check', 'config', 'prometheus.yaml')).toContain(`${rules.length} rules found`);
    const expressions = charts.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    const recorded = expressions.map((expr, index) => ({
      record: `chart:${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }));
    writeFileSync(join(folder, 'charts.yaml'), stringify({ groups: [{ name: 'charts', rules: recorded }] }));
    expect(ask('check', 'rules', 'charts.yaml')).toContain(`${recorded.length} rules found`);
  });
});

test('every alert has a severity, a summary, and a runbook in docs/operations.md; no other runbook is there', () => {
  const runbooks = [...readFromRoot('docs/operations.md').matchAll(/^### (Waymark\w+)$/gm)].map(([, name]) => name);
  expect(runbooks).toEqual(rules.map(({ alert }) => alert));
  for (const { alert, labels, annotations } of rules) {
    expect([alert, ['critical', 'warning', 'info']]).toEqual([alert, expect.arrayContaining([labels.severity])]);
    expect(annotations.summary).toMatch(/\.$/);
  }
});

test('every chart of the dashboard is drawn, and names alerts that there are', () => {
  expect(charts.length).toBeGreaterThan(15);
  for (const { title, targets = [], description = '' } of charts) {
    expect([title, targets.length]).not.toEqual([title, 0]);
    const named = [...description.matchAll(/Waymark\w+/g)].map(([name]) => name);
    expect(named.filter((name) => !rules.some(({ alert }) => alert === name))).toEqual([]);
  }
});

test('the example scrapes the ports that npm start gives its processes', () => {
  const { rule_files: files, scrape_configs: jobs } = parse(readFromRoot('deploy/prometheus/prometheus.yaml')) as {
    rule_files: string[];
    scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[];
  };
  expect(files).toEqual(['alerts.yaml']);
  expect(jobs[0]).toMatchObject({
    job_name: 'waymark',
    static_configs: [{ targets: ['127.0.0.1:9464', '127.0.0.1:9465', '127.0.0.1:9466'] }],
  });
});
