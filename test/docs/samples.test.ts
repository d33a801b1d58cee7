// @module-tag process

import { execFile } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { root } from '#scripts/lib/paths.ts';
import { sampleGroups } from '#scripts/site/pages.ts';
import { useOwnTestApi } from '#test/support/api.ts';
import { inGoProject, runGo, skipWithoutGo } from '#test/support/go.ts';
import { requirePythonTools, installPythonSdk } from '#test/support/python-sdk.ts';
import { prepareSamples, readSamples, type Sample, signedRequest, writePicture } from '#test/support/samples.ts';
import { prepareSdk } from '#test/support/sdk.ts';

const run = promisify(execFile);
const guides = [...globSync('docs/api/*.md', { cwd: root }).toSorted(), 'docs/webhooks.md'];
// Calls that are about HTTP itself, or about names of other services' APIs.
const byCurlAlone = ['-H "Authorization: Bearer $KEY"', '$API/mcp', 'Moved from Dub'];

describe('the samples of the guides', () => {
  const api = useOwnTestApi();
  let address: string;
  /** Inside the checkout, where @types/node is found. */
  let folder: string;
  beforeAll(async () => {
    address = await api.app.listen({ host: '127.0.0.1', port: 0 });
    mkdirSync(join(root, 'dist'), { recursive: true });
  });
  beforeEach(async () => {
    folder = mkdtempSync(join(root, 'dist', 'samples-'));
    await writePicture(folder);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const prepare = async (language: string): Promise<NodeJS.ProcessEnv> => ({
    ...process.env,
    ...(await prepareSamples(api, address, `${language}.example.org`)),
    ...signedRequest(),
  });

  /** @returns names of the files. */
  function writeTypeScript(): string[] {
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    return readSamples('ts').map(({ name, text }) => {
      writeFileSync(join(folder, `${name}.ts`), text.includes('createWaymark') ? text : headOfTypeScript + text);
      return `${name}.ts`;
    });
  }

  /** Lets programs in the folder import the SDK, as it is in the checkout. */
  async function linkSdk(): Promise<void> {
    await prepareSdk('generate');
    const sdk = join(folder, 'node_modules/@waymark/sdk');
    mkdirSync(sdk, { recursive: true });
    writeFileSync(join(sdk, 'package.json'), '{"type":"module","exports":"./index.js"}');
    const source = pathToFileURL(join(root, 'sdk/typescript/src/index.ts'));
    writeFileSync(join(sdk, 'index.js'), `export * from '${source.href}';`);
  }

  it.each(guides)('each call of %s that succeeds is there in every language', (source) => {
    const text = readFileSync(join(root, source), 'utf8');
    const languages = new Map(
      sampleGroups(text).flatMap((group) => {
        const names = group.map(({ language }) => language).filter((language) => language !== 'bash');
        return group.map((sample): [string, string[]] => [sample.text, names]);
      }),
    );
    const calls = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
      .map(([, call = '']) => call)
      .filter((call) => / # 2\d\d$/m.test(call) && !byCurlAlone.some((part) => call.includes(part)));
    for (const call of calls)
      expect({ call, in: languages.get(call) }).toEqual({ call, in: ['sh', 'ts', 'python', 'go'] });
  });

  it('in TypeScript run', { tags: 'nightly' }, async () => {
    const names = writeTypeScript();
    expect(names.length).toBeGreaterThan(25);
    await linkSdk();
    writeFileSync(join(folder, 'main.js'), names.map((name) => `await import('./${name}');`).join('\n'));
    const env = await prepare('ts');
    await run(process.execPath, ['--disable-warning=ExperimentalWarning', 'main.js'], { cwd: folder, env });
  });

  it('in TypeScript compile strictly', { tags: 'nightly' }, async () => {
    await prepareSdk('build');
    const names = writeTypeScript();
    mkdirSync(join(folder, 'node_modules/@waymark'), { recursive: true });
    symlinkSync(join(root, 'sdk/typescript'), join(folder, 'node_modules/@waymark/sdk'));
    const strict = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
    const compiler = join(root, 'sdk/typescript/node_modules/.bin/tsc');
    await run(compiler, [...strict, ...names], { cwd: folder }).catch((error) => {
      throw new Error((error as { stdout: string }).stdout);
    });
    expect(names.length).toBeGreaterThan(25);
  });

  it('in Python have right types, and run', { tags: 'nightly' }, async (context) => {
    const tools = requirePythonTools(context);
    using sdk = await installPythonSdk(tools);
    const samples = readSamples('python');
    expect(samples.length).toBeGreaterThan(25);
    const files = samples.map(({ name, text }) => {
      writeFileSync(join(folder, `${name}.py`), text.includes('Waymark(') ? text : headOfPython + text);
      return `${name}.py`;
    });
    await run(sdk.python, ['-m', 'mypy', '--strict', ...files], { cwd: folder }).catch((error) => {
      throw new Error((error as { stdout: string }).stdout);
    });
    writeFileSync(join(folder, 'main.py'), `import runpy, sys\nfor name in sys.argv[1:]: runpy.run_path(name)\n`);
    await run(sdk.python, ['main.py', ...files], { cwd: folder, env: await prepare('python') });
  });

  it('in Go are formatted, compile and run', { tags: 'nightly' }, async (context) => {
    await skipWithoutGo(context);
    const samples = readSamples('go');
    expect(samples.length).toBeGreaterThan(25);
    const env = await prepare('go');
    const isProgram = ({ text }: Sample): boolean => text.startsWith('package main');
    const parts = samples.filter((sample) => !isProgram(sample));
    const files = Object.fromEntries(parts.map((sample) => [`${sample.name}.go`, goFile(sample)]));
    await inGoProject({ 'main.go': goMain(parts), ...files }, async (project) => {
      await writePicture(project);
      for (const { name, text } of samples.filter(isProgram)) {
        mkdirSync(join(project, name));
        writeFileSync(join(project, name, 'main.go'), text);
      }
      expect(await runGo('gofmt', ['-d', '.'], project)).toBe('');
      await runGo('go', ['vet', './...'], project);
      for (const target of ['.', ...samples.filter(isProgram).map(({ name }) => `./${name}`)])
        await runGo('go', ['run', target], project, env);
    });
  });

  it('for the command line run', { tags: 'nightly' }, async () => {
    await linkSdk();
    cpSync(join(root, 'cli'), join(folder, 'cli'), { recursive: true });
    mkdirSync(join(folder, 'bin'));
    symlinkSync(join(folder, 'cli/bin.js'), join(folder, 'bin/waymark'));
    chmodSync(join(folder, 'cli/bin.js'), 0o755);
    writeFileSync(join(folder, 'bitly.csv'), 'link,long_url\nhttps://bit.ly/cli,https://example.com/cli');
    writeFileSync(join(folder, 'dub.csv'), 'Short link,Destination URL\nhttps://dub.sh/cli,https://example.com/dub');
    const samples = readSamples('bash');
    expect(samples.length).toBeGreaterThan(12);
    const { KEY = '', ...env } = await prepare('cli');
    const path = `${join(folder, 'bin')}:${process.env.PATH}`;
    const script = ['set -e', ...samples.map(({ name, text }) => `echo '--- ${name}'\n${text}`)].join('\n');
    await run('bash', ['--norc', '-c', script], {
      cwd: folder,
      env: { ...env, PATH: path, HOME: folder, WAYMARK_URL: address, WAYMARK_API_KEY: KEY },
    });
  });
});

const headOfTypeScript = `import { createWaymark } from '@waymark/sdk';

const { API = '', KEY = '', ADMIN_KEY = '', BODY: body = '', HEADERS = '' } = process.env;
const { LINK: linkId = '', DOMAIN: domainId = '', IMPORT: importId = '', KEY_ID: keyId = '' } = process.env;
const { FOLDER: folderId = '', TAG: tagId = '', WEBHOOK: webhookId = '', DELIVERY: deliveryId = '' } = process.env;
const headers = JSON.parse(HEADERS) as Record<string, string>;
const waymark = createWaymark({ baseUrl: API, apiKey: KEY });
const admin = createWaymark({ baseUrl: API, apiKey: ADMIN_KEY });
`;

const headOfPython = `import json
import os

from waymark import Waymark

waymark = Waymark(base_url=os.environ["API"], api_key=os.environ["KEY"])
admin = Waymark(base_url=os.environ["API"], api_key=os.environ["ADMIN_KEY"])
link_id, domain_id = os.environ["LINK"], os.environ["DOMAIN"]
import_id, key_id = os.environ["IMPORT"], os.environ["KEY_ID"]
folder_id, tag_id = os.environ["FOLDER"], os.environ["TAG"]
webhook_id, delivery_id = os.environ["WEBHOOK"], os.environ["DELIVERY"]
body, headers = os.environ["BODY"], json.loads(os.environ["HEADERS"])
`;

const goPackages = ['errors', 'fmt', 'hash/crc32', 'io', 'os', 'regexp', 'strings', 'time'];

/** A sample as a function in a file of its own. */
function goFile({ name, text }: Sample): string {
  const paths = goPackages
    .filter((path) => new RegExp(`\\b${path.replace(/^.*\//, '')}\\.[A-Z]`).test(text))
    .map((path) => `\t"${path}"\n`);
  const sdk = /\bwaymark\.\w/.test(text)
    ? [`${paths.length > 0 ? '\n' : ''}\twaymark "github.com/waymark/waymark/sdk/go"\n`]
    : [];
  const imports = `import (\n${[...paths, ...sdk].join('')})\n\n`;
  return `package main\n\n${paths.length + sdk.length > 0 ? imports : ''}func ${name}() error {\n${text.replaceAll(/^(?=.)/gm, '\t')}\treturn nil\n}\n`;
}

const goMain = (samples: readonly Sample[]): string => `package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"

	waymark "github.com/waymark/waymark/sdk/go"
)

var (
	ctx        = context.Background()
	client     = waymark.New(os.Getenv("API"), waymark.WithAPIKey(os.Getenv("KEY")))
	admin      = waymark.New(os.Getenv("API"), waymark.WithAPIKey(os.Getenv("ADMIN_KEY")))
	linkID     = os.Getenv("LINK")
	domainID   = os.Getenv("DOMAIN")
	importID   = os.Getenv("IMPORT")
	keyID      = os.Getenv("KEY_ID")
	folderID   = os.Getenv("FOLDER")
	tagID      = os.Getenv("TAG")
	webhookID  = os.Getenv("WEBHOOK")
	deliveryID = os.Getenv("DELIVERY")
	body       = []byte(os.Getenv("BODY"))
	header     = readHeader()
)

func readHeader() http.Header {
	var values map[string]string
	if err := json.Unmarshal([]byte(os.Getenv("HEADERS")), &values); err != nil {
		log.Fatal(err)
	}
	header := http.Header{}
	for name, value := range values {
		header.Set(name, value)
	}
	return header
}

func check(name string, err error) {
	if err != nil {
		log.Fatal(name, ": ", err)
	}
}

func main() {
${samples.map(({ name }) => `\tcheck("${name}", ${name}())\n`).join('')}}
`;
