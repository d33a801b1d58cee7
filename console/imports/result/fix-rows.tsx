import { useRef, useState } from 'react';
import { FileTrigger } from 'react-aria-components';
import { type Import, readRows, rowsPerPage } from '#console/api/imports.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { acceptedFiles } from '#console/imports/pick-file.tsx';
import { useImportWords } from '#console/imports/words.ts';
import { openFile } from '#console/imports/new/reader.ts';
import { Button } from '#console/ui/button.tsx';
import { Dialog } from '#console/ui/dialog.tsx';
import { download } from '#console/ui/download.ts';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { Notice } from '#console/ui/states.tsx';
import { Bar } from '#console/imports/bar.tsx';
import { findFile, keepFile } from './kept-files.ts';
import css from '#console/imports/imports.module.css';

const callsAtOnce = 4;

/** Gives the failed rows as a file with their reasons, to be mended and imported again. */
export function FixRows({ one }: { one: Import }) {
  const words = useImportWords();
  const ui = useUiWords();
  const { id, failed, total } = one;
  const [done, setDone] = useState<number>();
  const [isAsking, setAsking] = useState(false);
  const [wrongRows, setWrongRows] = useState<number>();
  const stopper = useRef<AbortController>(undefined);

  async function begin(): Promise<void> {
    const kept = await findFile(id);
    if (kept === undefined) setAsking(true);
    else await make(kept.name, kept.blob);
  }

  async function make(name: string, file: Blob): Promise<void> {
    const reading = openFile(file);
    stopper.current = new AbortController();
    setWrongRows(undefined);
    setDone(0);
    try {
      const head = await reading.head;
      if (head.total !== total) {
        setWrongRows(head.total);
        return;
      }
      setAsking(false);
      const rows = await readFailed(id, failed, stopper.current.signal, setDone);
      download(await reading.pick(rows), `${name.replace(/\.\w+$/, '')}-failed.csv`);
      void keepFile(id, name, file);
      sayDone(words.fix.done(rows.length));
    } catch (error) {
      if (!stopper.current.signal.aborted)
        sayFailed(words.fix.failed, error, { label: ui.tryAgain, onPress: () => void begin() });
    } finally {
      reading.close();
      setDone(undefined);
    }
  }

  if (done !== undefined && !isAsking)
    return (
      <div className={css.fix} role="status">
        <span className="tabular">{words.fix.reading(done, failed)}</span>
        <Bar label={words.fix.button} done={done} total={failed} />
        <Button size="small" onPress={() => stopper.current?.abort()}>
          {words.fix.stop}
        </Button>
      </div>
    );
  return (
    <div className={css.fix}>
      <Button icon="download" onPress={() => void begin()}>
        {words.fix.button}
      </Button>
      <span className="quiet">{words.fix.hint}</span>
      {isAsking && (
        <Dialog title={words.fix.pickTitle} isOpen onClose={() => setAsking(false)}>
          <div className={css.stack}>
            <p>{words.fix.pickText}</p>
            {wrongRows !== undefined && (
              <div role="alert">
                <Notice tone="bad" icon="warning">
                  {words.fix.wrongFile(wrongRows, total)}
                </Notice>
              </div>
            )}
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
