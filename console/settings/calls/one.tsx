import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { callQuery, type LoggedCall, type LoggedCallWithBodies } from '#console/api/calls.ts';
import { usePageSearch } from '#console/app/places/use-page-search.ts';
import { useFormat } from '#console/i18n/format.ts';
import { callerName } from '#console/i18n/nouns.ts';
import { Button } from '#console/ui/button.tsx';
import { Code, inLines } from '#console/ui/text/code.tsx';
import { Facts } from '#console/ui/page/facts.tsx';
import { Loaded } from '#console/ui/page/loaded.tsx';
import layout from '#console/ui/page/layout.module.css';
import { Moment } from '#console/ui/page/moment.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { Chip, Empty } from '#console/ui/page/states.tsx';
import type { CallsSearch } from './search.ts';
import { useCallsWords } from './words.ts';

/** A call with its body and answer. */
export function OneCall({ id }: { id: string }) {
  const words = useCallsWords();
  const { change } = usePageSearch<CallsSearch>();
  const toList = (
    <Button icon="list" onPress={() => change({ call: undefined })}>
      {words.title}
    </Button>
  );
  return (
    <Loaded
      query={useQuery(callQuery(id))}
      rows={6}
      gone={
        <Empty icon="list" title={words.gone} action={toList}>
          {words.goneText}
        </Empty>
      }
    >
      {(call) => (
        <div className={layout.stack}>
          <div>{toList}</div>
          <About call={call} />
          <Body title={words.sent} part={call.request} />
          <Body title={words.answered} part={call.answer} />
        </div>
      )}
    </Loaded>
  );
}

function About({ call }: { call: LoggedCallWithBodies }) {
  const words = useCallsWords();
  const format = useFormat();
  const { id, method, path, query, status, code, at, by, latencyMs } = call;
  return (
    <Panel title={`${method} ${path}`}>
      <Facts
        facts={[
          [words.status, <CallStatus key="status" status={status} />],
          [words.code, code && <code key="code">{code}</code>],
          [words.when, <Moment key="at" at={at} />],
          [words.took, words.milliseconds(format.number(latencyMs))],
          [words.by, <CallerName key="by" by={by} />],
          [words.callId, <code key="id">{id}</code>, 'wide'],
          [words.query, query && <code key="query">{query}</code>, 'wide'],
        ]}
      />
    </Panel>
  );
}

function Body({ title, part }: { title: string; part: LoggedCallWithBodies['request'] }) {
  const words = useCallsWords();
  const format = useFormat();
  const { type, bytes, body, isTruncated } = part;
  const isThere = body !== null || (bytes ?? 0) > 0;
  return (
    <Panel title={title}>
      <p className="quiet">
        {!isThere ? words.noBody : words.size(type ?? '', bytes === null ? words.unknownSize : format.bytes(bytes))}{' '}
        {isThere && body === null && words.notKept} {body !== null && isTruncated && words.cut}
      </p>
      {body !== null && <Code text={inLines(body)} label={title} />}
    </Panel>
  );
}

/** Who called, as the way to all calls of that caller. */
export function CallerName({ by: { type, keyId, userId, name } }: { by: LoggedCall['by'] }) {
  const words = useCallsWords();
  const shown = callerName(name) ?? (type === 'key' ? words.someKey : words.somePerson);
  return (
    <Link to="/settings/calls" search={{ by: type, caller: keyId ?? userId }} aria-label={words.showOnly(shown)}>
      {shown}
    </Link>
  );
}

/** A status, with the tone of its class. */
export function CallStatus({ status }: { status: number }) {
  return <Chip tone={status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good'}>{status}</Chip>;
}
