// @module-tag process

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import lock from '../../../package-lock.json' with { type: 'json' };
import manifest from '../../../package.json' with { type: 'json' };
import { root } from '#scripts/lib/paths.ts';
import { readAudit } from '#scripts/release/audit.ts';
import { completeSbom, type Lock, type Sbom } from '#scripts/release/sbom.ts';
import { requirePythonTools } from '#test/support/python-sdk.ts';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'waymark-release-'))));
afterAll(() => rmSync(folder, { recursive: true }));

function run(
  script: string,
  args: readonly string[],
  env: Record<string, string> = {},
): { status: number | null; out: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'scripts', 'release', script), ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  return { status, out: stdout + stderr };
}

describe('npm run release', () => {
  test(
    'the release packs what customers install, and writes a CycloneDX bill of the installed packages, with checksums',
    { tags: 'nightly' },
    (context) => {
      const { packages } = requirePythonTools(context);
      const env = { PIP_NO_INDEX: '1', PIP_FIND_LINKS: packages };
      const { status, out } = run('release.ts', ['--offline', '--out', folder], env);
      expect({ status, out }).toMatchObject({ status: 0, out: expect.stringContaining('were not asked for') });
      const name = `waymark-${manifest.version}.cdx.json`;
      expect(readdirSync(folder).toSorted()).toEqual(
        [
          'SHA256SUMS',
          name,
          ...['waymark', 'waymark-sdk', 'waymark-mcp', 'waymark-go', 'waymark-browser-extension'].map(
            (packed) => `${packed}-${manifest.version}.tgz`,
          ),
          `waymark_sdk-${manifest.version}-py3-none-any.whl`,
        ].toSorted(),
      );
      const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trim().split('\n');
      expect(sums).toHaveLength(7);
      for (const [sum, file = ''] of sums.map((line) => line.split('  ')))
        expect([
          file,
          createHash('sha256')
            .update(readFileSync(join(folder, file)))
            .digest('hex'),
        ]).toEqual([file, sum]);
      const text = readFileSync(join(folder, name), 'utf8');
      const sbom = JSON.parse(text) as Sbom & { serialNumber: string };
      expect(sbom).toMatchObject({
        bomFormat: 'CycloneDX',
        specVersion: '1.5',
        serialNumber: expect.stringMatching(/^urn:uuid:[0-9a-f-]{36}$/),
        metadata: { component: { type: 'application', name: 'waymark', version: manifest.version } },
      });
      const names = new Set(sbom.components.map((component) => component.name));
      expect(Object.keys(manifest.dependencies).filter((dependency) => !names.has(dependency))).toEqual([]);
      expect(['vitest', 'oxlint'].filter((dependency) => names.has(dependency))).toEqual([]);
      for (const { purl, hashes } of sbom.components) {
        expect(purl).toMatch(/^pkg:npm\//);
        expect(hashes).toContainEqual({ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) });
      }
      // A missing package or a wrong hash makes the bill invalid.
      const [first, ...others] = sbom.components;
      expect(() => completeSbom({ ...sbom, components: others }, lock as Lock)).toThrow('is missing');
      const other = { ...first!, hashes: [{ alg: 'SHA-512', content: '00' }] };
      expect(() => completeSbom({ ...sbom, components: [other, ...others] }, lock as Lock)).toThrow('lacks its hash');
    },
  );

  test('a failed npm audit never counts as a clean one', () => {
    expect(readAudit('')).toEqual({ isAsked: false, reason: 'npm audit printed no JSON' });
    expect(readAudit('{"message":"405 Method Not Allowed","error":{"summary":""}}')).toEqual({
      isAsked: false,
      reason: '405 Method Not Allowed',
    });
    expect(readAudit('{"vulnerabilities":{}}')).toEqual({ isAsked: true, advisories: [] });
    const vulnerabilities = {
      a: { severity: 'high', via: ['b'] },
      b: { severity: 'high', via: [{ title: 'It leaks', severity: 'high' }] },
    };
    expect(readAudit(JSON.stringify({ vulnerabilities }))).toEqual({
      isAsked: true,
      advisories: [{ package: 'b', severity: 'high', title: 'It leaks' }],
    });
  });
});

describe('npm run pin-images', () => {
  const files = ['Dockerfile', 'deploy/compose.yaml'];
  const digest = `sha256:${'ab'.repeat(32)}`;

  test('pin-images writes the digest of every image, repeatably, and no digest when one is unknown', () => {
    const copy = join(folder, 'copy');
    const tools = join(folder, 'tools');
    mkdirSync(join(copy, 'deploy'), { recursive: true });
    mkdirSync(tools);
    for (const file of files) cpSync(join(root, file), join(copy, file));
    const read = (): string[] => files.map((file) => readFileSync(join(copy, file), 'utf8'));
    const answer = (script: string): void => {
      writeFileSync(join(tools, 'docker'), `#!/bin/sh\n${script}\n`);
      chmodSync(join(tools, 'docker'), 0o755);
    };
    const env = { PATH: [tools, process.env.PATH].join(delimiter) };
    const before = read();
    answer('case "$4" in postgres*) echo no such image >&2; exit 1;; esac; echo ' + digest);
    expect(run('pin-images.ts', [copy], env)).toMatchObject({
      status: 1,
      out: expect.stringContaining('Nothing was changed'),
    });
    expect(read()).toEqual(before);

    answer(`echo ${digest}`);
    expect(run('pin-images.ts', [copy], env)).toMatchObject({ status: 0 });
    const pinned = read();
    const images = pinned.flatMap((text) => [...text.matchAll(/_IMAGE(?:=|:-)([^\s}]+)/g)].map(([, image]) => image!));
    expect(images.length).toBeGreaterThanOrEqual(6);
    for (const image of images) expect(image).toMatch(/^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
    expect(run('pin-images.ts', [copy], env)).toMatchObject({ status: 0 });
    expect(read()).toEqual(pinned);
  });

  test('pin-images finds every image that is not our own', () => {
    const [dockerfile = '', compose = ''] = files.map((file) => readFileSync(join(root, file), 'utf8'));
    const stages = [...dockerfile.matchAll(/^FROM \S+ AS (\S+)/gm)].map(([, stage]) => stage);
    for (const [, image] of dockerfile.matchAll(/^FROM (\S+)/gm)) expect(['${NODE_IMAGE}', ...stages]).toContain(image);
    for (const [, image] of compose.matchAll(/^ +image: (\S+)/gm))
      expect(image).toMatch(/^\$\{[A-Z]+(?:_[A-Z]+)*_IMAGE:-|^waymark:/);
  });
});
