import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import {
  type Import,
  type ImportRow,
  importedLinksQuery,
  importRowsQuery,
  isUnderWay,
  rowsPerPage,
  type RowState,
} from '#console/api/imports.ts';
import type { LinkPage } from '#console/api/types.ts';
import { useFormat } from '#console/i18n/format.ts';
import { shownShortUrl } from '#console/links/short-url.ts';
import { Chip, Failed, Skeleton } from '#console/ui/states.tsx';
import { Pages } from '#console/ui/pages.tsx';
import { describeReason } from '#console/imports/reason.ts';
import { rowStates } from '#console/imports/search.ts';
import { useImportWords } from '#console/imports/words.ts';
import { FixRows } from './fix-rows.tsx';
import css from '#console/imports/imports.module.css';

const tones = { imported: 'good', skipped: 'quiet', failed: 'bad' } as const satisfies Record<RowState, string>;

/** What became of the rows of the file, by their result. */
export function Rows({ one }: { one: Import }) {
  const words = useImportWords();
  const format = useFormat();
  const navigate = useNavigate();
  const { result: state, page = 1 } = useSearch({ from: '/frame/imports/$id' });
  const { id, imported, skipped, failed } = one;
  const all = imported + skipped + failed;
  const { data, error, refetch } = useQuery({
    ...importRowsQuery(id, { state, page: page - 1 }, all),
    enabled: all > 0,
  });
  // Rows of another page or result are dimmed until their successors come; rows of an earlier progress are not: they would blink.
  const isStale = data !== undefined && (data.filters.state !== state || data.filters.page !== page - 1);
  const ids = (data?.data ?? []).flatMap(({ shortLinkId }) => shortLinkId ?? []);
  const links = useQuery(importedLinksQuery(ids, one.undo?.removed ?? 0));
  const go = (search: { state?: RowState | undefined; page?: number | undefined }): void =>
    void navigate({ to: '/imports/$id', params: { id }, search: { result: search.state, page: search.page } });
  return (
    <section className={css.stack} aria-label={words.result.filters}>
      <div className={css.tabs} role="group" aria-label={words.result.filters}>
        {([undefined, ...rowStates] as const).map((shown) => (
          <button
            key={shown ?? 'all'}
            type="button"
            aria-pressed={state === shown}
            className={css.tab}
            onClick={() => go({ state: shown })}
          >
            {shown === undefined ? words.allRows : words.rowStates[shown]}{' '}
            <span className="tabular">
              {format.number(shown === undefined ? all : { imported, skipped, failed }[shown])}
            </span>
          </button>
        ))}
      </div>
      {failed > 0 && !isUnderWay(one) && <FixRows one={one} />}
      {all === 0 ? (
        <p className="quiet">{words.result.noRows}</p>
      ) : error !== null && data === undefined ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton rows={8} height={2.5} />
      ) : data.data.length === 0 ? (
        <p className="quiet">{words.result.noRowsOf}</p>
      ) : (
        <>
          <ol className={[css.rows, isStale ? css.isStale : ''].join(' ')}>
            {data.data.map((row) => (
              <Row key={row.row} row={row} links={links.data} isRead={links.isSuccess && !links.isPlaceholderData} />
            ))}
          </ol>
          <Pages
            page={page}
            pages={Math.ceil(data.count / rowsPerPage)}
            onPage={(next) => go({ state, page: next === 1 ? undefined : next })}
          />
        </>
      )}
    </section>
  );
}

interface RowProps {
  row: ImportRow;
  links: LinkPage | undefined;
  /** Whether `links` are those of the rows that are shown. */
  isRead: boolean;
}

function Row({ row: { row, state, shortLinkId, error }, links, isRead }: RowProps) {
  const words = useImportWords();
  const format = useFormat();
  const link = links?.data.find(({ id }) => id === shortLinkId);
  return (
    <li>
      <span className={`quiet tabular ${css.number}`}>{format.number(row)}</span>
      <span>
        <Chip tone={tones[state]}>{words.rowStates[state]}</Chip>
      </span>
      <div className={css.linkCell}>
        {link !== undefined && (
          <>
            <Link to="/links/$id" params={{ id: link.id }}>
              {shownShortUrl(link.originUrl)}
            </Link>
            <span className="quiet">{link.destination.value}</span>
          </>
        )}
        {shortLinkId !== null && link === undefined && isRead && <span className="quiet">{words.result.deleted}</span>}
        {error !== null && (
          <span className={state === 'failed' ? css.bad : 'quiet'}>{describeReason(error, words.fields)}</span>
        )}
      </div>
    </li>
  );
}
