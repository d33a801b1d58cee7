import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { apiBase } from '#console/api/client.ts';
import { exportAddress, type Import, importListQuery, importsPerPage, isUnderWay } from '#console/api/links/imports.ts';
import { useCan, useRefusal } from '#console/app/can.ts';
import { useTitle } from '#console/app/places/title.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Button, buttonClass } from '#console/ui/button.tsx';
import { Icon } from '#console/ui/icon.tsx';
import { useNow } from '#console/ui/browser/now.ts';
import { Empty } from '#console/ui/page/states.tsx';
import { Progress } from '#console/ui/progress.tsx';
import { StateChip, useImportName } from './about.tsx';
import { PickFile } from './pick-file.tsx';
import { useImportWords } from './words.ts';
import css from './imports.module.css';
import layout from '#console/ui/page/layout.module.css';
import { List } from '#console/ui/list/list.tsx';
import type { PageSearch } from '#console/app/places/search.ts';
import { usePageSearch } from '#console/app/places/use-page-search.ts';

/** /imports */
export default function ImportsPage() {
  const words = useImportWords();
  useTitle(words.imports);
  const { search, change } = usePageSearch<PageSearch>();
  const { page = 1 } = search;
  return (
    <div className={layout.page}>
      <div className={layout.head}>
        <h1>{words.imports}</h1>
        <a className={buttonClass()} href={exportAddress()} download>
          <Icon name="download" />
          <span className="wide-only">{words.export}</span>
        </a>
        <ImportButton />
      </div>
      <List
        query={useQuery(importListQuery(page - 1))}
        page={page}
        perPage={importsPerPage}
        onPage={(next) => change({ page: next })}
        found={words.found}
        height={4}
        empty={<NoImports />}
      >
        {(imports) => (
          <ul className={layout.list} aria-label={words.imports}>
            {imports.map((one) => (
              <ImportRow key={one.id} one={one} />
            ))}
          </ul>
        )}
      </List>
    </div>
  );
}

function ImportButton() {
  const words = useImportWords();
  const refusal = useRefusal('shortLinks', 'create');
  if (refusal !== undefined)
    return (
      <Button variant="primary" icon="import" refusal={refusal}>
        {words.make}
      </Button>
    );
  return (
    <Link to="/imports/new" className={buttonClass('primary')}>
      <Icon name="import" />
      {words.make}
    </Link>
  );
}

function ImportRow({ one }: { one: Import }) {
  const words = useImportWords();
  const format = useFormat();
  const now = useNow();
  const name = useImportName(one);
  const { id, state, total, imported, skipped, failed, undo, createdAt } = one;
  const done = imported + skipped + failed;
  return (
    <li className={`${layout.row} ${css.row}`}>
      <div className={css.rowMain}>
        <Link to="/imports/$id" params={{ id }} className={layout.name}>
          {name.file ?? name.kind}
        </Link>
        <span className="quiet" title={format.whole(createdAt)}>
          {name.file !== undefined && `${name.kind} · `}
          {format.moment(createdAt)} · {format.ago(createdAt, now)}
        </span>
      </div>
      <StateChip state={state} failed={failed} />
      <div className={css.rowCounts}>
        {isUnderWay(one) ? (
          <Progress
            label={undo === null ? words.progress.label : words.progress.undoLabel}
            done={undo === null ? done : imported - undo.left}
            total={undo === null ? total : imported}
          />
        ) : (
          <span>{undo === null ? words.counts(imported, total) : words.undone(undo.removed)}</span>
        )}
        {failed > 0 && undo === null && (
          <Link to="/imports/$id" params={{ id }} search={{ result: 'failed' }} className={css.bad}>
            {format.number(failed)} {words.rowStates.failed.toLowerCase()}
          </Link>
        )}
      </div>
    </li>
  );
}

function NoImports() {
  const words = useImportWords();
  const canCreate = useCan('shortLinks', 'create');
  return (
    <Empty
      icon="import"
      title={words.noneTitle}
      action={canCreate && <PickFile isMain={false} />}
      command={`curl -X POST ${apiBase()}/short-link/import -H 'x-api-key: …' -F file=@links.csv`}
    >
      {words.noneText}
    </Empty>
  );
}
