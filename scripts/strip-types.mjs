// Preloaded by the processes of `npm start` (`node --import`): strips the types of Waymark's own files once, and keeps the results in
// node_modules/.cache. Node by itself loads a parser of 30 MB into each process; with NODE_COMPILE_CACHE it needs no parser, but keeps
// the cached code of every module in memory, 8 to 16 MB a process (measured with `bench small`). JavaScript, since it runs before types can
// be stripped.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { threadId } from 'node:worker_threads';

const root = resolve(import.meta.dirname, '..');
const folder = join(root, 'node_modules/.cache/waymark-types');
const ownUrl = pathToFileURL(`${root}/`).href;

registerHooks({
  load(url, context, nextLoad) {
    const isOwn = url.startsWith(ownUrl) && url.endsWith('.ts') && !url.includes('/node_modules/');
    if (!isOwn) return nextLoad(url, context);
    return { format: 'module', source: strip(readFileSync(fileURLToPath(url), 'utf8')), shortCircuit: true };
  },
});

/** Lines and columns stay as they are: types become spaces. */
function strip(source) {
  const hash = createHash('sha256').update(process.version).update(source).digest('hex');
  const file = join(folder, `${hash}.js`);
  try {
    return readFileSync(file, 'utf8');
  } catch {
    const stripped = stripTypeScriptTypes(source);
    keep(file, stripped);
    return stripped;
  }
}

/** Other processes may read and write the same file. A folder that cannot be written costs memory, no more. */
function keep(file, text) {
  try {
    mkdirSync(folder, { recursive: true });
    const draft = `${file}.${process.pid}.${threadId}`;
    writeFileSync(draft, text);
    renameSync(draft, file);
  } catch {
    // Stripped again at the next start.
  }
}
