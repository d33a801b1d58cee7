import { useResultWords } from '#console/imports/result/words.ts';
import { useState } from 'react';
import { FileTrigger } from 'react-aria-components';
import { type Import, readRows, rowsPerPage } from '#console/api/links/imports.ts';
import { acceptedFiles } from '#console/imports/pick-file.tsx';
import { useImportWords } from '#console/imports/words.ts';
import { openFile } from '#console/imports/new/reader.ts';
import { Button } from '#console/ui/button.tsx';
import { Dialog } from '#console/ui/form/dialog.tsx';
import { useRun } from '#console/ui/browser/use-run.ts';
import { download } from '#console/ui/browser/download.ts';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { Alert } from '#console/ui/page/states.tsx';
import { Progress } from '#console/ui/progress.tsx';
import { findFile, keepFile } from './kept-files.ts';
import css from '#console/imports/imports.module.css';
import layout from '#console/ui/page/layout.module.css';

const callsAtOnce = 4;

/** Gives the failed rows as a file with their reasons, to be mended and imported again. */
export function FixRows({ one }: { one: Import }) {
  const words = useImportWords();
  const own = useResultWords();
  const { id, failed, total } = one;
  const { progress: done, setProgress: setDone, run, stop } = useRun<number>();
  const [isAsking, setAsking] = useState(false);
  const [wrongRows, setWrongRows] = useState<number>();

  async function begin(): Promise<void> {
    const kept = await findFile(id);
    if (kept === undefined) setAsking(true);
    else await make(kept.name, kept.blob);
  }

  async function make(name: string, file: Blob): Promise<void> {
    setWrongRows(undefined);
    await run({
      first: 0,
      onFailed: (error) => sayFailed(own.fix.failed, error, { label: words.tryAgain, onPress: () => void begin() }),
      work: async (signal) => {
        const reading = openFile(file);
        try {
          const head = await reading.head;
          if (head.total !== total) {
            setWrongRows(head.total);
            return;
          }
          setAsking(false);
          const rows = await readFailed(id, failed, signal, setDone);
          download(await reading.pick(rows), `${name.replace(/\.\w+$/, '')}-failed.csv`);
          void keepFile(id, name, file);
          sayDone(own.fix.done(rows.length));
        } finally {
          reading.close();
        }
      },
    });
  }

  if (done !== undefined && !isAsking)
    return (
      <div className={css.fix} role="status">
        <span className="tabular">{own.fix.reading(done, failed)}</span>
        <Progress label={own.fix.button} done={done} total={failed} />
        <Button size="small" onPress={stop}>
          {words.stop}
        </Button>
      </div>
    );
  return (
    <div className={css.fix}>
      <Button icon="download" onPress={() => void begin()}>
        {own.fix.button}
      </Button>
      <span className="quiet">{own.fix.hint}</span>
      {isAsking && (
        <Dialog title={own.fix.pickTitle} onClose={() => setAsking(false)}>
          <div className={layout.stack}>
            <p>{own.fix.pickText}</p>
            {wrongRows !== undefined && <Alert text={own.fix.wrongFile(wrongRows, total)} />}
            <FileTrigger
              acceptedFileTypes={acceptedFiles}
              onSelect={(files) => files?.[0] !== undefined && void make(files[0].name, files[0])}
            >
              <Button variant="primary" icon="file">
                {words.drop.pick}
              </Button>
            </FileTrigger>
          </div>
        </Dialog>
      )}
    </div>
  );
}

/** Reads all failed rows, some pages at a time, in the order of the file. */
async function readFailed(
  id: string,
  count: number,
  signal: AbortSignal,
  onDone: (done: number) => void,
): Promise<{ row: number; error: string }[]> {
  const rows: { row: number; error: string }[] = [];
  for (let page = 0; page * rowsPerPage < count; page += callsAtOnce) {
    const wanted = Array.from({ length: callsAtOnce }, (_value, index) => page + index).filter(
      (one) => one * rowsPerPage < count,
    );
    const read = await Promise.all(wanted.map((one) => readRows(id, { state: 'failed', page: one }, signal)));
    rows.push(...read.flatMap(({ data }) => data.map(({ row, error }) => ({ row, error: error ?? '' }))));
    onDone(rows.length);
  }
  return rows;
}
