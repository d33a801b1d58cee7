import { checkDomain, type Domain, type DomainDns } from '#console/api/domains.ts';
import { AskOperator } from '#console/app/organization/ask-operator.tsx';
import { useRefusal } from '#console/app/can.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { useFormat } from '#console/i18n/format.ts';
import { Button } from '#console/ui/button.tsx';
import { CopyButton, copyText } from '#console/ui/text/copy.tsx';
import { Icon } from '#console/ui/icon.tsx';
import { useChange } from '#console/ui/form/use-change.ts';
import { sayDone } from '#console/ui/messages.tsx';
import { useNow, useNowUntil } from '#console/ui/browser/now.ts';
import { Notice } from '#console/ui/page/states.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { useDomainWords } from './words.ts';
import css from './domains.module.css';
import layout from '#console/ui/page/layout.module.css';

type Found = NonNullable<DomainDns['found']>[number];

/** The records to publish, each beside what was found of it. */
export function Records({ domain, dns }: { domain: Domain; dns: DomainDns }) {
  const words = useDomainWords();
  const format = useFormat();
  const now = useNow();
  const untilNext = useNowUntil(dns.nextCheckAt);
  const { installation } = useSession();
  const refusal = useRefusal('domains', 'update');
  const { id } = domain;
  const check = useChange({
    send: () => checkDomain(id),
    failed: words.notChecked,
    // Another organization has the name: the state says so.
    fields: ['domain'],
    refresh: [['domains']],
  });
  const { needed, found, checkedAt, nextCheckAt, dailyFrom } = dns;
  // Addresses of other servers, where no address is wanted at all.
  const surplus = (found ?? []).filter(({ expected, ok }) => expected === null && !ok);
  const lines = needed.map(({ type, name, value }) => `${type}  ${name}  ${value}`).join('\n');
  const when = [
    checkedAt === null ? words.neverChecked : words.checked(format.ago(checkedAt, now)),
    ...(dailyFrom === null || new Date(dailyFrom) < now ? [] : [words.daily(format.moment(dailyFrom))]),
  ];
  return (
    <Panel
      title={words.records}
      actions={
        <Button size="small" icon="refresh" isPending={check.isPending} refusal={refusal} onPress={() => check.send()}>
          {words.checkNow}
        </Button>
      }
    >
      <div role="table" aria-label={words.records}>
        <div role="row" className={css.columns}>
          {[words.type, words.recordName, words.value, words.state].map((name) => (
            <span key={name} role="columnheader">
              {name}
            </span>
          ))}
        </div>
        {needed.map(({ type, name, value, relativeName }) => (
          <div role="row" key={`${type} ${value}`} className={css.record}>
            <span role="cell">{type}</span>
            <span role="cell">
              <span className={css.copied}>
                <code>{relativeName ?? name}</code>
                <CopyButton text={relativeName ?? name} label={words.copyName(relativeName ?? name)} />
              </span>
              {relativeName !== null && <span className="quiet">{words.whole(name)}</span>}
            </span>
            <span role="cell" className={css.copied}>
              <code title={value}>{value}</code>
              <CopyButton text={value} label={words.copyValue(type)} />
            </span>
            <span role="cell">
              <Finding found={found?.find((one) => one.type === type)} />
            </span>
          </div>
        ))}
        {surplus.map((one) => (
          <div role="row" key={one.type} className={css.record}>
            <span role="cell">{one.type}</span>
            <span role="cell">
              <code>{one.name}</code>
            </span>
            <span role="cell">–</span>
            <span role="cell">
              <Finding found={one} />
            </span>
          </div>
        ))}
      </div>
      {needed.length > 2 && <p className="quiet">{words.alternatives}</p>}
      {needed.length === 1 && (
        <Notice tone="warn" icon="warning">
          {words.nowhere} <AskOperator contact={installation.supportContact} />
        </Notice>
      )}
      <div className={layout.actions}>
        <Button
          size="small"
          icon="copy"
          onPress={() =>
            void copyText(words.letter(domain.domain, lines, needed.length)).then(
              (isDone) => isDone && sayDone(words.sent(domain.domain)),
            )
          }
        >
          {words.send}
        </Button>
        <span className="quiet">
          <span role="status">{when.join(' · ')}</span>
          {nextCheckAt !== null && ` · ${words.next(format.soon(nextCheckAt, untilNext))}`}
        </span>
      </div>
    </Panel>
  );
}

/** What was found of a record: right, or why not, with the values that stand there. */
function Finding({ found }: { found: Found | undefined }) {
  const words = useDomainWords();
  if (found === undefined) return <span className="quiet">{words.notAsked}</span>;
  if (found.ok)
    return (
      <span className={css.right}>
        <Icon name="check" size={16} /> {words.right}
      </span>
    );
  const { reason, type, name, misplacedAt } = found;
  const values = found.found === 'error' ? [] : found.found;
  return (
    <span className={css.wrong}>
      <span>{reason === null ? '' : words.reasons[reason]({ type, name, place: misplacedAt ?? '' })}</span>
      {values.length > 0 && <span className="quiet">{words.foundValues(values.join(', '))}</span>}
    </span>
  );
}
