import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import { callsQuery, type LoggedCall } from '#console/api/calls.ts';
import { useCan } from '#console/app/can.ts';
import { rangeOf } from '#console/app/days.ts';
import { isId } from '#console/app/places/search.ts';
import { usePageSearch } from '#console/app/places/use-page-search.ts';
import { useFormat } from '#console/i18n/format.ts';
import { SettingsFrame } from '#console/settings/frame.tsx';
import { Button } from '#console/ui/button.tsx';
import { DayFields, FilterSelect } from '#console/ui/list/filters.tsx';
import { MoreList } from '#console/ui/list/more-list.tsx';
import { SearchBox } from '#console/ui/list/search-box.tsx';
import layout from '#console/ui/page/layout.module.css';
import { Moment } from '#console/ui/page/moment.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { Chip, Empty } from '#console/ui/page/states.tsx';
import { Tabs } from '#console/ui/page/tabs.tsx';
import { CallerName, CallStatus, OneCall } from './one.tsx';
import { type CallsSearch, statusClasses } from './search.ts';
import { useCallsWords } from './words.ts';

const callers = ['key', 'member'] as const;

/** /settings/calls */
export default function CallsPage() {
  const words = useCallsWords();
  const { call } = usePageSearch<CallsSearch>().search;
  const mayRead = useCan('apiKeys', 'read');
  return (
    <SettingsFrame page="calls">
      {!mayRead ? (
        <Empty icon="lock" title={words.forAdmins} />
      ) : call === undefined ? (
        <Calls />
      ) : (
        <OneCall key={call} id={call} />
      )}
    </SettingsFrame>
  );
}

function Calls() {
  const words = useCallsWords();
  const { search: given, change } = usePageSearch<CallsSearch>();
  const { status, caller, search, since, until } = given;
  // Calls of people in the console itself, which asks for news every few seconds, are shown on demand.
  const by = given.by === 'all' ? undefined : (callers.find((one) => one === given.by) ?? 'key');
  const filter = { status, by, [by === 'member' ? 'userId' : 'keyId']: caller, search, ...rangeOf(given) };
  const query = useInfiniteQuery(callsQuery(filter));
  const find = useCallback(
    (text: string): void => {
      const typed = text.trim();
      change(isId(typed) ? { call: typed } : { search: typed === '' ? undefined : typed }, { replace: true });
    },
    [change],
  );
  return (
    <Panel
      title={words.title}
      actions={
        <Button size="small" icon="refresh" isPending={query.isRefetching} onPress={() => void query.refetch()}>
          {words.reload}
        </Button>
      }
    >
      <p className="quiet">{words.hint}</p>
      <div className={layout.filters} role="group" aria-label={words.filters}>
        <Tabs
          label={words.status}
          current={status}
          onChange={(next) => change({ status: next })}
          tabs={([undefined, ...statusClasses] as const).map((one) => ({
            id: one,
            label: one === undefined ? words.all : words.statuses[one],
          }))}
        />
        <SearchBox label={words.search} text={search ?? ''} onSearch={find} />
        <FilterSelect
          label={words.caller}
          all={words.everybody}
          value={by}
          onChange={(next) => change({ by: next ?? 'all', caller: undefined })}
          choices={callers.map((one) => ({ id: one, label: words.callers[one] }))}
        />
        <DayFields since={since} until={until} onChange={change} />
      </div>
      {Object.values(filter).some((value) => value !== undefined) && (
        <p>
          {caller !== undefined && <Chip>{words.ofOne}</Chip>}{' '}
          <Link to="/settings/calls" search={{ by: 'all' }}>
            {words.showAll}
          </Link>
        </p>
      )}
      <MoreList
        query={query}
        itemsOf={(page) => page.data}
        none={<p className="quiet">{words.nothingToShow}</p>}
        rows={6}
      >
        {(calls) => (
          <ol className={layout.rows}>
            {calls.map((call) => (
              <Row key={call.id} call={call} />
            ))}
          </ol>
        )}
      </MoreList>
    </Panel>
  );
}

function Row({ call: { id: callId, method, path, status, code, by, at, latencyMs } }: { call: LoggedCall }) {
  const words = useCallsWords();
  const format = useFormat();
  return (
    <li>
      <span className={layout.about}>
        <Link to="." search={(before) => ({ ...before, call: callId })}>
          {method} {path}
        </Link>
        <span className="quiet">
          <CallerName by={by} /> · {words.milliseconds(format.number(latencyMs))}
          {code !== null && <> · {code}</>}
        </span>
      </span>
      <span className={layout.actions}>
        <CallStatus status={status} />
        <Moment at={at} as="ago" className="quiet" />
      </span>
    </li>
  );
}
