import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { isUuid } from '#core/lib/uuid.ts';
import type { presentImport } from '#api/import/schema.ts';
import { findDomain, findFolder, idOf } from '#api/mcp/names.ts';
import { type Rest, ToolError } from '#api/mcp/rest.ts';
import { table, tool, type ToolCall } from '#api/mcp/tool.ts';

// Shorter than clients wait for an answer.
const longestWaitSeconds = 20;
const pollMs = 1_000;
// A message has room for it (`bodyLimits.message`), however a client escapes it.
const longestCsv = 60_000;

type ShownImport = ReturnType<typeof presentImport>;

/** Whether an import, or its undo, goes on. */
const isRunning = ({ finishedAt, undo }: ShownImport): boolean =>
  finishedAt === null || (undo !== null && undo.finishedAt === null);

const countDone = ({ imported, skipped, failed }: ShownImport): number => imported + skipped + failed;

function showImport(shown: ShownImport): string {
  const { id, state, total, imported, skipped, failed, undo } = shown;
  const words = `Import ${id} (workflow import/${id}) is ${state}: ${countDone(shown)} of ${total} rows: ${imported} imported, ${skipped} skipped, ${failed} failed.${undo === null ? '' : ` Its undo has removed ${undo.removed} links, and kept ${undo.kept} that were clicked or edited since.`}`;
  return isRunning(shown) ? `${words}\nNext: call get_import with waitSeconds: 20 to follow it.` : words;
}

async function readImport(rest: Rest, id: string): Promise<ShownImport> {
  if (!isUuid(id)) throw new ToolError(`"${id}" is no id of an import.\nNext: call list_imports.`);
  return rest.call('GET', `/short-link/import/${id}`);
}

/** Reads an import until it has ended, or the time is over. */
async function followImport(rest: Rest, begun: ShownImport, waitMs: number, call: ToolCall): Promise<ShownImport> {
  const { signal, tellProgress } = call;
  const until = Date.now() + waitMs;
  let told = -1;
  const tell = async (shown: ShownImport): Promise<void> => {
    const done = countDone(shown);
    if (done <= told) return;
    told = done;
    const count = (links: number): string => links.toLocaleString('en');
    const message = `${count(done)} of ${count(shown.total)} links`;
    await tellProgress({ progress: done, total: shown.total, message });
  };
  let current = begun;
  await tell(current);
  while (isRunning(current) && Date.now() < until) {
    await wait(pollMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) break;
    current = await readImport(rest, current.id);
    if (!signal.aborted) await tell(current);
  }
  return current;
}

/** Imports run as workflows: the handle of one is its workflow's id. */
export const importTools = [
  tool({
    name: 'import_links',
    title: 'Import links from CSV',
    description:
      'Starts an import: Waymark’s own columns (destination, slug, title, tags …) or the export of another service. It goes on by itself; follow it by get_import.',
    input: z.strictObject({
      csv: z
        .string()
        .min(1)
        .max(longestCsv, 'has more than 60,000 characters: split the file, or let the person import it in the console')
        .describe('The file’s text, with its header line; up to 60,000 characters.'),
      format: z
        .enum(['waymark', 'bitly', 'yourls', 'kutt', 'shlink', 'csv', 'dub', 'shortio', 'rebrandly', 'polr'])
        .optional(),
      domain: z.string().optional(),
      folder: z.string().optional(),
    }),
    effect: 'adds',
    async run(rest, { csv, format, domain, folder }) {
      const fields = {
        format,
        domainId: await idOf(rest, findDomain, domain),
        folderId: await idOf(rest, findFolder, folder),
      };
      return showImport(
        await rest.call('POST', '/short-link/import', { upload: { name: 'links.csv', text: csv, fields } }),
      );
    },
  }),
  tool({
    name: 'get_import',
    title: 'Follow an import',
    description:
      'How far an import is, and which rows failed. Waits for its end up to 20 s on wish, and tells progress meanwhile.',
    input: z.strictObject({
      import: z.string().describe('Id.'),
      waitSeconds: z.number().int().min(0).max(longestWaitSeconds).optional(),
    }),
    effect: 'reads',
    async run(rest, { import: id, waitSeconds = 0 }, call) {
      let current = await readImport(rest, id);
      if (isRunning(current) && waitSeconds > 0) {
        const { id: organizationId } = await rest.call('GET', '/organization');
        const begun = current;
        current = await call.waits(organizationId, () => followImport(rest, begun, waitSeconds * 1_000, call));
      }
      if (current.failed === 0 || call.signal.aborted) return showImport(current);
      const query = { state: 'failed', limit: 20 };
      const { data } = await rest.call('GET', `/short-link/import/${id}/rows`, { query });
      const rows = (data as { row: number; error: string }[]).map(({ row, error }) => [row, error]);
      return `${showImport(current)}\n\n${table(['row', 'error'], rows)}`;
    },
  }),
  tool({
    name: 'list_imports',
    title: 'List imports',
    description: 'The newest imports with their state.',
    input: z.strictObject({}),
    effect: 'reads',
    async run(rest) {
      const { data } = await rest.call('GET', '/short-link/import/list', { query: { limit: 10 } });
      return (data as ShownImport[]).map(showImport).join('\n') || 'There are no imports.';
    },
  }),
  tool({
    name: 'undo_import',
    title: 'Undo an import',
    description: 'Deletes the links that an import made; those that were changed since stay unless includeChanged.',
    input: z.strictObject({
      import: z.string(),
      includeChanged: z.boolean().optional(),
      confirm: z.boolean().optional(),
    }),
    effect: 'destroys',
    isIdempotent: true,
    async run(rest, { import: id, includeChanged = false, confirm }) {
      const current = await readImport(rest, id);
      const { imported, undo } = current;
      if (undo !== null) {
        const isOver = undo.finishedAt !== null;
        if (isOver && undo.kept === 0) return showImport(current);
        const next = isOver ? '\nNext: call undo_import with includeChanged: true to remove those too.' : '';
        if (!includeChanged) return `${showImport(current)}${next}`;
      }
      if (confirm !== true)
        return `Nothing ${undo === null ? '' : 'more '}is undone yet. Up to ${imported - (undo?.removed ?? 0)} links with their clicks would be gone for good. Ask the person, then call undo_import again with confirm: true.`;
      return showImport(await rest.call('POST', `/short-link/import/${id}/undo`, { body: { includeChanged } }));
    },
  }),
];
