// @module-tag slow
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createTestApi } from '#test/support/api.ts';
import { createTestEdge } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';
import { startWebhookStack } from '#test/support/webhook-stack.ts';

// docs/architecture.md lists the files that a create, a click and an event pass. Coverage of one call tells whether it is true.
// WAYS_OUT=<folder> writes each list of files and functions there: the counts of that page come from it.

const root = join(import.meta.dirname, '../..');
const architecture = readFileSync(join(root, 'docs/architecture.md'), 'utf8');

describe('docs/architecture.md', () => {
  it('names files that one create passes', async () => {
    await using api = await createTestApi();
    const create = async (): Promise<void> => {
      const body = { destination: { type: 'link', value: 'https://example.com/' } };
      expect((await api.call('POST', '/short-link', body)).status).toBe(201);
    };
    await create();
    const passed = await filesOf('create', create);
    expect(namedUnder('One create').filter((file) => !passed.includes(file))).toEqual([]);
  });

  it('names files that one click passes', async () => {
    await using edge = await createTestEdge();
    const click = async (slug: string, id: string): Promise<void> => {
      expect((await edge.visit(`/${slug}`)).status).toBe(302);
      await eventually(
        () => edge.clicks(id),
        (rows) => rows.length > 0,
      );
    };
    const [first, second] = [await edge.link(), await edge.link()];
    await click(first.slug, first.id);
    const passed = await filesOf('click', () => click(second.slug, second.id));
    expect(namedUnder('One click').filter((file) => !passed.includes(file))).toEqual([]);
  });

  it('names files that one event passes', async () => {
    await using stack = await startWebhookStack();
    const endpoint = await stack.endpoint();
    await stack.webhook(endpoint.url);
    const send = async (): Promise<void> => {
      const [id] = await stack.emit(1);
      await eventually(
        () => endpoint.accepted.has(id!),
        (isThere) => isThere,
      );
      // The pump lingers for half a second, and records what came of the attempt.
      await sleep(700);
    };
    await send();
    const passed = await filesOf('event', send);
    // A workflow runs in an isolate of its own, which this process's coverage does not see.
    const named = namedUnder('One event').filter((file) => !file.startsWith('workflows/'));
    expect(named.filter((file) => !passed.includes(file))).toEqual([]);
  });
});

/** The files that the items of a section's list name. */
function namedUnder(heading: string): string[] {
  const [, section = ''] = architecture.split(`### ${heading}\n`);
  const items = section.split(/\n##/)[0]!.matchAll(/^(?:-|\d+\.) [\s\S]*?(?=^(?:-|\d+\.) |\n\n)/gm);
  const files = [...items].flatMap(([item]) => [...item.matchAll(/`([\w/.-]+\.ts)`/g)].map(([, file = '']) => file));
  expect(files.length).toBeGreaterThan(8);
  return files;
}

/** Product files of which some function ran in this process during `work`. */
async function filesOf(name: string, work: () => Promise<void>): Promise<string[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  // Taking them sets all counts to 0.
  await session.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  session.disconnect();
  const ran = result
    .map(({ url, functions }) => ({
      file: url.replace(/^file:\/\//, '').replace(/\?.*$/, ''),
      names: functions.filter(({ ranges }) => ranges[0]!.count > 0).map(({ functionName }) => functionName),
    }))
    .filter(({ file, names }) => names.length > 0 && file.startsWith(`${root}/`))
    .map(({ file, names }) => ({ file: file.slice(root.length + 1), names }))
    .filter(({ file }) => !/^(test|node_modules)\//.test(file))
    .toSorted((one, other) => (one.file < other.file ? -1 : 1));
  const folder = process.env.WAYS_OUT;
  if (folder !== undefined) {
    mkdirSync(folder, { recursive: true });
    const lines = ran.map(({ file, names }) => `${file}: ${names.filter((text) => text !== '').join(', ')}`);
    writeFileSync(join(folder, `${name}.txt`), `${ran.length} files\n${lines.join('\n')}\n`);
  }
  return ran.map(({ file }) => file);
}
