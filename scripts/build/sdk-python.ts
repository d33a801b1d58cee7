import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runIn } from '#scripts/lib/folder-packages.mjs';
import { waitForLock } from '#scripts/lib/lock.mjs';
import { root } from '#scripts/lib/paths.ts';
import { findPython } from '#scripts/lib/python.ts';
import { readSdkOperations } from '#scripts/sdk/operations.ts';
import { writePythonModules } from '#scripts/sdk/python.ts';

// `npm run -s sdk:python [-- --out FOLDER]`: generates types and calls of the Python SDK from the answer of `/doc`, builds its wheel by pip,
// and prints the wheel's path.

const folder = join(root, 'sdk/python');
const say = (line: string): void => console.error(`sdk: ${line}`);

async function generate(): Promise<void> {
  const { document, operations } = await readSdkOperations(say);
  const generated = join(folder, 'src/waymark/_generated');
  rmSync(generated, { recursive: true, force: true });
  mkdirSync(generated);
  for (const [name, text] of Object.entries(writePythonModules(operations, document)))
    writeFileSync(join(generated, name), text);
}

/** @returns the path of the wheel. */
async function build(python: string, out: string): Promise<string> {
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  await runIn('sdk/python', python, ['-m', 'pip', 'wheel', '--quiet', '--no-deps', '--wheel-dir', out, '.']);
  const [, version] = /^version = "(.+)"$/m.exec(readFileSync(join(folder, 'pyproject.toml'), 'utf8'))!;
  return join(out, `waymark_sdk-${version}-py3-none-any.whl`);
}

const { values } = parseArgs({ options: { out: { type: 'string' } } });
const lock = await waitForLock(join(root, 'dist', 'sdk-python.lock'), { deadlineMs: 10 * 60_000 });
if (lock.holder !== undefined)
  throw new Error(`Another build of the Python SDK (process ${lock.holder}) does not end.`);
try {
  await generate();
  const python = findPython();
  if (python === undefined)
    throw new Error('The wheel is not built: there is no Python 3.10 or newer with pip and venv.');
  console.log(await build(python, resolve(values.out ?? join(root, 'dist/packages'))));
} finally {
  lock.release();
}
