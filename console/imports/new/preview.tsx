import { Icon } from '#console/ui/icon.tsx';
import { describeReason } from '#console/imports/reason.ts';
import { useImportWords } from '#console/imports/words.ts';
import type { PreviewRow } from './check-rows.ts';
import css from '#console/imports/imports.module.css';

/** The first rows as the links that they become. */
export function Preview({ rows, total }: { rows: readonly PreviewRow[]; total: number }) {
  const words = useImportWords();
  const own = words.preview;
  return (
    <section className={css.card} aria-label={own.title(rows.length, total)}>
      <h2 className={css.small}>{own.title(rows.length, total)}</h2>
      <ol className={css.preview}>
        {rows.map((row) => (
          <PreviewLine key={row.row} {...row} />
        ))}
      </ol>
    </section>
  );
}

function PreviewLine({ row, domain, slug, destination, title, tags, folder, problem }: PreviewRow) {
  const words = useImportWords();
  return (
    <li className={problem === undefined ? '' : css.failing}>
      <span className="quiet tabular">{words.row(row)}</span>
      <div className={css.linkCell}>
        <strong>
          {domain}/{slug ?? <span className="quiet">{words.preview.generated}</span>}
        </strong>
        <span className="quiet">{destination}</span>
        {problem !== undefined && (
          <span className={css.bad}>
            <Icon name="warning" size={16} />
            {describeReason(problem, words.fields)}
          </span>
        )}
      </div>
      <div className={css.aboutCell}>
        {title !== undefined && <span>{title}</span>}
        {(tags.length > 0 || folder !== undefined) && (
          <span className="quiet">
            {[...tags, ...(folder === undefined ? [] : [words.preview.inFolder(folder)])].join(' · ')}
          </span>
        )}
      </div>
    </li>
  );
}
