import { refusalWords } from '#console/api/refusal.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Chip, Skeleton } from '#console/ui/page/states.tsx';
import { Progress } from '#console/ui/progress.tsx';
import { describeReason } from '#console/imports/reason.ts';
import { useImportWords } from '#console/imports/words.ts';
import type { CheckResult } from './check-rows.ts';
import css from '#console/imports/imports.module.css';

/** How many rows will become links, and why the others will not. */
export function CheckSummary({ result, total }: { result: CheckResult | undefined; total: number }) {
  const words = useImportWords();
  const format = useFormat();
  if (result === undefined) return <Skeleton rows={1} height={4} />;
  const { done, ready, repeated, failed, reasons, remarks } = result;
  return (
    <section className={css.card} aria-label={words.check.title}>
      {done < total && (
        <div className={css.checking}>
          <span className="tabular">{words.check.checking(done, total)}</span>
          <Progress label={words.check.title} done={done} total={total} />
        </div>
      )}
      <p className={css.chips} aria-busy={done < total} role="status">
        <Chip tone="good" icon="check">
          {words.check.ready(ready)}
        </Chip>
        {repeated > 0 && <Chip>{words.check.repeated(repeated)}</Chip>}
        {failed > 0 && (
          <Chip tone="bad" icon="warning">
            {words.check.failed(failed)}
          </Chip>
        )}
      </p>
      {reasons.length > 0 && (
        <>
          <h2 className={css.small}>{words.check.reasons}</h2>
          <ul className={css.reasons}>
            {reasons.map(({ text, count, rows }) => (
              <li key={text}>
                <span className={css.reason}>{describeReason(text, words.fields)}</span>
                <span className="quiet tabular">
                  {words.check.inRows(rows.map((row) => format.number(row)).join(', '), count - rows.length)}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      {remarks.map((remark) => (
        <p key={remark} className={css.wrap}>
          {refusalWords(remark)}
        </p>
      ))}
      <p className="quiet">{words.check.later}</p>
    </section>
  );
}
