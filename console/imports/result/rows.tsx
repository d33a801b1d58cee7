import { useResultWords } from '#console/imports/result/words.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import {
  type Import,
  importedLinksQuery,
  type ImportRow,
  importRowsQuery,
  isUnderWay,
  rowsPerPage,
  type RowState,
} from '#console/api/links/imports.ts';
import type { LinkPage } from '#console/api/types.ts';
import { useFormat } from '#console/i18n/format.ts';
import { shownShortUrl } from '#console/links/short-url.ts';
import { Chip } from '#console/ui/page/states.tsx';
import { describeReason } from '#console/imports/reason.ts';
import { type ImportSearch, rowStates } from '#console/imports/search.ts';
import { useImportWords } from '#console/imports/words.ts';
import { FixRows } from './fix-rows.tsx';
import css from '#console/imports/imports.module.css';
import layout from '#console/ui/page/layout.module.css';
import { List } from '#console/ui/list/list.tsx';
import { Tabs } from '#console/ui/page/tabs.tsx';
import { usePageSearch } from '#console/app/places/use-page-search.ts';

const tones = { imported: 'good', skipped: 'quiet', failed: 'bad' } as const satisfies Record<RowState, string>;

/** What became of the rows of the file, by their result. */
export function Rows({ one }: { one: Import }) {
  const words = useImportWords();
  const own = useResultWords();
  const format = useFormat();
  const { search, change } = usePageSearch<ImportSearch>();
  const { result: state, page = 1 } = search;
  const { id, imported, skipped, failed } = one;
  const all = imported + skipped + failed;
  const query = useQuery({
    ...importRowsQuery(id, { state, page: page - 1 }, all),
    enabled: all > 0,
  });
  // Rows of another page or result are dimmed until their successors come; rows of an earlier progress are not: they would blink.
  const { data } = query;
  const isStale = data !== undefined && (data.filters.state !== state || data.filters.page !== page - 1);
  const ids = (data?.data ?? []).flatMap(({ shortLinkId }) => shortLinkId ?? []);
  const links = useQuery(importedLinksQuery(ids, one.undo?.removed ?? 0));
  return (
    <section className={layout.stack} aria-label={own.result.filters}>
      <Tabs
        label={own.result.filters}
        current={state}
        onChange={(next) => change({ result: next })}
        tabs={([undefined, ...rowStates] as const).map((id) => ({
          id,
          label: (
            <>
              {id === undefined ? words.allRows : words.rowStates[id]}{' '}
              <span className="tabular">
                {format.number(id === undefined ? all : { imported, skipped, failed }[id])}
              </span>
            </>
          ),
        }))}
      />
      {failed > 0 && !isUnderWay(one) && <FixRows one={one} />}
      {all === 0 ? (
        <p className="quiet">{own.result.noRows}</p>
      ) : (
        <List
          query={{ ...query, isPlaceholderData: isStale }}
          page={page}
          perPage={rowsPerPage}
          onPage={(next) => change({ page: next })}
          rows={8}
          height={2.5}
          empty={<p className="quiet">{own.result.noRowsOf}</p>}
        >
          {(rows) => (
            <>
              <p className="quiet small">{own.result.rowsFrom}</p>
              <ol className={[layout.list, css.rows].join(' ')}>
                {rows.map((row) => (
                  <Row
                    key={row.row}
                    row={row}
                    links={links.data}
                    isRead={links.isSuccess && !links.isPlaceholderData}
                  />
                ))}
              </ol>
            </>
          )}
        </List>
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
  const own = useResultWords();
  const link = links?.data.find(({ id }) => id === shortLinkId);
  return (
    <li>
      <span className="quiet tabular">{words.row(row)}</span>
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
        {shortLinkId !== null && link === undefined && isRead && <span className="quiet">{own.result.deleted}</span>}
        {error !== null && (
          <span className={state === 'failed' ? css.bad : 'quiet'}>{describeReason(error, words.fields)}</span>
        )}
      </div>
    </li>
  );
}
