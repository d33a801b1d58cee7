import { type CsvFile, CsvFileError } from '#core/csv/csv-file.ts';
import { type CheckResult, type CheckSettings, RowCheck } from './check-rows.ts';
import { readFile, writeCsv } from './read-file.ts';

// Reads files of links apart from the page: a hundred thousand rows take seconds.

/** What the page asks of the worker. */
export type Question =
  | { ask: 'read'; file: Blob }
  | { ask: 'check'; settings: CheckSettings }
  /** The file with other names of columns. */
  | { ask: 'write'; header: readonly string[] }
  /** Some rows with the reasons why they failed. */
  | { ask: 'pick'; rows: readonly { row: number; error: string }[] };

/** What stands at the beginning of a file. */
export interface FileHead {
  header: string[];
  total: number;
  /** The first value of each column that is not empty. */
  examples: string[];
}

/** The worker's answer to the question of an id; several for a check, the last one with `done` rows of all. */
export type Answer = { id: number } & (
  | { read: FileHead }
  | { checked: CheckResult }
  | { written: Blob }
  /** The file cannot be read; the message completes "the file …". */
  | { refused: string }
);

const rowsPerTurn = 1_000;
const exampleRows = 200;

let file: CsvFile | undefined;
let newestCheck = 0;

self.addEventListener('message', ({ data }: MessageEvent<{ id: number } & Question>) => {
  void answer(data).catch((error: unknown) => {
    if (!(error instanceof CsvFileError)) throw error;
    tell({ id: data.id, refused: error.message });
  });
});

async function answer(question: { id: number } & Question): Promise<void> {
  const { id } = question;
  if (question.ask === 'read') {
    file = readFile(new Uint8Array(await question.file.arrayBuffer()));
    tell({ id, read: headOf(file) });
    return;
  }
  if (file === undefined) return;
  const { header, rows } = file;
  if (question.ask === 'check') await check(id, question.settings, file);
  if (question.ask === 'write') tell({ id, written: toBlob([question.header], rows) });
  if (question.ask === 'pick') {
    const picked = question.rows.map(({ row, error }) => {
      const fields = rows[row - 1] ?? [];
      return [...header.map((_column, index) => fields[index] ?? ''), error, ...fields.slice(header.length)];
    });
    tell({ id, written: toBlob([[...header, 'problem']], picked) });
  }
}

async function check(id: number, settings: CheckSettings, content: CsvFile): Promise<void> {
  newestCheck = id;
  const checking = new RowCheck(content, settings);
  for (;;) {
    const hasMore = checking.next(rowsPerTurn);
    tell({ id, checked: checking.result() });
    if (!hasMore) return;
    await new Promise((resolve) => void setTimeout(resolve));
    // Other settings have begun another check.
    if (newestCheck !== id) return;
  }
}

function headOf({ header, rows }: CsvFile): FileHead {
  const first = rows.slice(0, exampleRows);
  const examples = header.map((_column, index) => first.find((row) => (row[index] ?? '').trim() !== '')?.[index] ?? '');
  return { header, total: rows.length, examples };
}

function toBlob(...parts: readonly (readonly (readonly string[])[])[]): Blob {
  return new Blob(parts.map(writeCsv), { type: 'text/csv' });
}

function tell(answer: Answer): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
  self.postMessage(answer);
}
