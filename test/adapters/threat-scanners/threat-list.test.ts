import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createLocalLookup, createScanner } from '#adapters/threat-scanners/scanner.ts';
import { createThreatList, sampleThreatList } from '#adapters/threat-scanners/threat-list.ts';
import { HashPrefixList } from '#core/threats/hash-prefix-list.ts';
import { threatTypes } from '#core/threats/types.ts';
import { ThreatLists } from '#core/threats/threat-lists.ts';
import { makeFolder } from '#test/support/folders.ts';
import { silent } from '#test/support/test-worker.ts';

const folder = makeFolder();
let counter = 0;

async function listOf(text: string, checkEveryMs = 0) {
  const file = join(folder, `list-${(counter += 1)}.txt`);
  await writeFile(file, text);
  return { file, scanner: await createThreatList({ file, log: silent, checkEveryMs }) };
}

async function typesOf(text: string, url: string) {
  const { scanner } = await listOf(text);
  return (await scanner.lookup(url)).threatTypes;
}

describe('the local list (9.3)', () => {
  test('a URL stands for itself, however it is written', async () => {
    const line = 'HTTP://Bad.Example:80/a b\tMALWARE';
    expect(await typesOf(line, 'http://bad.example/a%20b')).toEqual(['MALWARE']);
    for (const same of [
      'http://bad.example/a%20b#fragment',
      'http://bad.example/a%20b?',
      'http://bad.example./a%20b',
      'http://bad.example/%61%20b',
      'http://bad.example/x/../%2561%20b',
      'http://user@bad.example//a%20b',
    ]) {
      expect(await typesOf(line, same)).toEqual(['MALWARE']);
    }
    for (const other of [
      'http://bad.example/a%20b?x',
      'https://bad.example/a%20b',
      'http://bad.example:8080/a%20b',
      'http://bad.example/',
      'http://x.bad.example/a%20b',
    ]) {
      expect(await typesOf(line, other)).toEqual([]);
    }
  });

  test('a host stands for itself and the names below it, on any scheme, port and path', async () => {
    const line = 'Bücher.example\tSOCIAL_ENGINEERING';
    for (const url of [
      'http://bücher.example/',
      'https://xn--bcher-kva.example:8443/x',
      'https://a.b.BÜCHER.example./',
    ]) {
      expect(await typesOf(line, url)).toEqual(['SOCIAL_ENGINEERING']);
    }
    for (const url of ['http://notbücher.example/', 'http://example/', 'http://other.example/bücher.example']) {
      expect(await typesOf(line, url)).toEqual([]);
    }
  });

  test('types of several lines add up, in one order', async () => {
    const text = 'bad.example\tUNWANTED_SOFTWARE\nhttp://bad.example/\tSOCIAL_ENGINEERING, MALWARE\n';
    expect(await typesOf(text, 'http://bad.example/')).toEqual(['MALWARE', 'SOCIAL_ENGINEERING', 'UNWANTED_SOFTWARE']);
  });

  test('the list may contain comments, empty lines, a byte order mark and Windows line ends', async () => {
    expect(await typesOf('\uFEFF# list\r\n\r\n  bad.example\tMALWARE  \r\n', 'http://bad.example/')).toEqual([
      'MALWARE',
    ]);
  });

  test('every mistake is named with file and line', async () => {
    const text =
      'good.example\tMALWARE\nno tab\nbad.example\tVIRUS\nftp://bad.example/\tMALWARE\nbad host\tMALWARE\na\tMALWARE\tb\n';
    const error = await listOf(text).catch((cause: Error) => cause);
    const lines = (error as Error).message.split('\n').map((line) => line.replace(/^.*\.txt:/, ''));
    expect(lines.map((line) => Number(line.split(':')[0]))).toEqual([2, 3, 4, 5, 6]);
    expect(lines[1]).toContain('"VIRUS" is no type of threat');
    expect((error as Error).message).toContain(join(folder, 'list-'));
  });

  test('a mistake quotes no more than the beginning of a text, without control characters', async () => {
    const { message } = (await listOf(`${'\u001b[2J\u0007'.repeat(100)}\n\u001b${'x'.repeat(100)}\tMALWARE\n`).catch(
      (error: Error) => error,
    )) as Error;
    expect(message.split('\n')).toEqual([
      expect.stringMatching(/list-.*:1: must be a URL or host, one tab, and types separated by commas$/),
      expect.stringMatching(/list-.*:2: "\\u001bx{59}…" is neither a URL nor a host$/),
    ]);
  });

  test('the error names a missing file', async () => {
    await expect(createThreatList({ file: join(folder, 'none.txt'), log: silent })).rejects.toThrow(
      /none\.txt: cannot be read \(ENOENT\)/,
    );
  });

  test('a changed file is read again; a wrong one leaves the list in force', async () => {
    const { file, scanner } = await listOf('one.example\tMALWARE\n');
    await writeFile(file, 'two.example\tMALWARE\nthree.example\tMALWARE\n');
    expect((await scanner.lookup('http://two.example/')).threatTypes).toEqual(['MALWARE']);
    expect((await scanner.lookup('http://one.example/')).threatTypes).toEqual([]);
    await writeFile(file, 'wrong');
    expect((await scanner.lookup('http://two.example/')).threatTypes).toEqual(['MALWARE']);
  });

  test('the sample that ships flags the well-known test addresses', async () => {
    const scanner = await createThreatList({ log: silent });
    const expected = {
      'http://testsafebrowsing.appspot.com/s/malware.html': ['MALWARE'],
      'https://testsafebrowsing.appspot.com/s/phishing.html': ['SOCIAL_ENGINEERING'],
      'http://malware.testing.google.test/testing/malware/': ['MALWARE'],
      'https://testsafebrowsing.appspot.com/': [],
    };
    for (const [url, types] of Object.entries(expected)) expect((await scanner.lookup(url)).threatTypes).toEqual(types);
    expect(sampleThreatList).toMatch(/threat-list-sample\.txt$/);
  });

  test('a verdict of the list expires soon, so that a rescan notices a removed entry', async () => {
    const scanner = await createThreatList({ log: silent });
    const { threatTypes, expiresAt } = await scanner.lookup('http://testsafebrowsing.appspot.com/s/malware.html');
    expect(threatTypes).toContain('MALWARE');
    expect(expiresAt.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
  });
});

const defaults = { WEB_RISK_MODE: 'lookup', THREAT_RESCAN_PER_DAY: 1 } as const;

describe('which scanner is used', () => {
  test('the log names the scanner in use', async () => {
    const lines: string[] = [];
    const log = { ...silent, info: (line: string) => lines.push(line) } as never;
    const configs: Partial<Parameters<typeof createScanner>[0]>[] = [
      {},
      { WEB_RISK_MODE: 'lists' },
      { WEB_RISK_API_KEY: 'k' },
      { WEB_RISK_ENDPOINT: 'http://127.0.0.1:9' },
      { WEB_RISK_API_KEY: 'k', WEB_RISK_MODE: 'lists' },
    ];
    const sources: boolean[] = [];
    for (const config of configs) {
      const { scanner, listSource } = await createScanner({ ...defaults, ...config }, new ThreatLists(), log);
      sources.push(listSource !== undefined);
      await scanner.close();
    }
    expect(sources).toEqual([false, false, false, false, true]);
    expect(lines).toEqual([
      'destinations are scanned by the sample threat list',
      'destinations are scanned by the sample threat list',
      'destinations are scanned by Google Web Risk',
      'destinations are scanned by Web Risk at 127.0.0.1:9',
      'destinations are scanned by the threat lists of Google Web Risk',
    ]);
  });
});

test('a list of the configuration that has a mistake is named by its setting', async () => {
  const file = join(folder, 'wrong-list.txt');
  await writeFile(file, 'bad.example\tVIRUS\n');
  const config = { ...defaults, THREAT_LIST_FILE: file };
  await expect(createScanner(config, new ThreatLists(), silent)).rejects.toThrow(
    `THREAT_LIST_FILE: ${file}:1: "VIRUS" is no type of threat`,
  );
});

describe('the lookup of a process that asks no service', () => {
  const url = 'http://malware.testing.google.test/testing/malware/';

  test('it answers by the local list while the workers have the same list, and only then', async () => {
    let kind: string | undefined;
    const lookUp = await createLocalLookup(defaults, new ThreatLists(), () => kind, silent);
    for (kind of [undefined, 'web-risk', 'list 00']) expect(await lookUp(url)).toBeUndefined();
    kind = (await createScanner(defaults, new ThreatLists(), silent)).kind();
    expect(await lookUp(url)).toMatchObject({ threatTypes: ['MALWARE'] });
    const file = join(folder, 'other-list.txt');
    await writeFile(file, 'bad.example\tMALWARE\n');
    const lookUpOther = await createLocalLookup(
      { ...defaults, THREAT_LIST_FILE: file },
      new ThreatLists(),
      () => kind,
      silent,
    );
    expect(await lookUpOther('http://bad.example/')).toBeUndefined();
  });

  test('without a key it answers by the lists of Web Risk where the workers do', async () => {
    let kind = 'web-risk';
    const lists = new ThreatLists();
    for (const type of threatTypes)
      lists.set(type, { list: HashPrefixList.empty, version: 1, nextDiffAtMs: Date.now() + 60_000 });
    const lookUp = await createLocalLookup(defaults, lists, () => kind, silent);
    expect(await lookUp(url)).toBeUndefined();
    kind = 'web-risk-lists';
    expect(await lookUp(url)).toMatchObject({ threatTypes: [] });
  });

  test('it knows nothing where the list cannot be read', async () => {
    const file = join(folder, 'none.txt');
    const lookUp = await createLocalLookup(
      { ...defaults, THREAT_LIST_FILE: file },
      new ThreatLists(),
      () => 'list 00',
      silent,
    );
    expect(await lookUp(url)).toBeUndefined();
  });
});
