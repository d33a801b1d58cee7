import { openAsBlob, statSync, writeFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from '../errors.js';
import { findLink } from '../references.js';

const lookEveryMs = 1_000;
const mostExplained = 20;
const running = new Set(['pending', 'running', 'undoing']);
const out = { out: { type: 'string', short: 'o', help: 'File to write. Default: standard output.' } };

/** Writes bytes to a file, or to the output of the process. */
async function write(io, blob, file) {
  const bytes = Buffer.from(await blob.arrayBuffer());
  if (file !== undefined) writeFileSync(file, bytes);
  else if (!io.stdout.write(bytes)) await new Promise((resolve) => io.stdout.once('drain', resolve));
}

async function open(path) {
  try {
    if (statSync(path).isFile()) return await openAsBlob(path);
  } catch {
    // Told below.
  }
  throw new UsageError(`There is no file ${path} that can be read.`);
}

/** Says of the first failed rows why. */
async function explainFailed(client, { id, failed }, output) {
  const { data } = await client.imports.listRows(id, { state: 'failed', limit: mostExplained });
  for (const { row, error } of data) output.warn(`row ${row}: ${error}`);
  if (failed > data.length) output.warn(`… and ${failed - data.length} more`);
}

export const fileCommands = [
  {
    name: 'qr',
    summary: 'Draw the QR code of a link.',
    takes: 'LINK',
    writesFile: true,
    options: { ...out, size: { type: 'string', help: 'Pixels of a side of a PNG.' } },
    async run({ client, values, positionals: [name], io }) {
      const format = values.out === undefined ? 'svg' : extname(values.out).slice(1).toLowerCase();
      if (format !== 'svg' && format !== 'png') throw new UsageError('The file ends in .svg or .png.');
      const { id } = await findLink(client, name);
      const size = values.size === undefined ? {} : { size: Number(values.size) };
      await write(io, await client.links.drawQrCode(id, { format, ...size }), values.out);
    },
  },
  {
    name: 'import',
    summary: 'Make links of a file: CSV, or an export of another service.',
    takes: 'FILE',
    options: {
      format: {
        type: 'string',
        help: 'csv, bitly, dub, kutt, polr, rebrandly, shlink, shortio, waymark or yourls. Without: it is recognized.',
      },
      watch: { type: 'boolean', short: 'w', help: 'Wait until it is done.' },
    },
    async run({ client, values, positionals: [path], output, io }) {
      const blob = await open(path);
      const file = new File([blob], basename(path));
      let job = await client.imports.create({ file, ...(values.format !== undefined && { format: values.format }) });
      output.note(`Import ${job.id}: ${job.total} rows.`);
      try {
        while (values.watch === true && running.has(job.state)) {
          await sleep(lookEveryMs, undefined, { signal: io.signal });
          job = await client.imports.get(job.id);
          const done = job.imported + job.skipped + job.failed;
          if (output.isTerminal && !output.isJson) io.stderr.write(`\r${done} of ${job.total} rows`);
        }
      } catch (error) {
        output.warn(`Import ${job.id} goes on without this command.`);
        throw error;
      }
      if (values.watch === true && output.isTerminal && !output.isJson) io.stderr.write('\n');
      output.fields(job, {
        state: job.state,
        imported: job.imported,
        skipped: job.skipped,
        failed: job.failed,
        id: job.id,
      });
      if (job.failed > 0) await explainFailed(client, job, output);
      if (values.watch === true && (job.state !== 'completed' || job.failed > 0)) return 1;
    },
  },
  {
    name: 'export',
    summary: 'Write all links as CSV, in the format that `import` reads.',
    writesFile: true,
    options: { ...out, clicks: { type: 'boolean', help: 'Clicks in place of links.' } },
    async run({ client, values, io }) {
      const answer = values.clicks === true ? client.stats.exportClicks({}) : client.links.export({});
      await write(io, new Blob([await answer]), values.out);
    },
  },
];
