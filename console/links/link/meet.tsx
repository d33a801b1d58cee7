import { useMemo } from 'react';
import type { ShortLink } from '#console/api/types.ts';
import type { ThreatPolicy } from '#core/threats/policy.ts';
import { draftOf } from '#console/links/editor/draft.ts';
import { late } from '#console/ui/page/late.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { Skeleton } from '#console/ui/page/states.tsx';
import { useNow } from '#console/ui/browser/now.ts';
import { Address } from './address.tsx';
import { useIsDomainOff } from './domain-off.ts';
import { describeUnserved } from './sentence.ts';
import { useConditions } from '#console/links/rule-text.ts';
import { useThreatPolicy } from '#console/links/threat-policy.ts';
import { useLinkPageWords } from './words.ts';
import css from './link.module.css';

const Preview = late(
  async () => (await import('#console/links/editor/preview/preview.tsx')).default,
  'box',
  <Skeleton height={14} />,
);

/** Where everyone is led, and who is led elsewhere; below, what some visitors get, as the edge's own code decides it. */
export function Meet({ link }: { link: ShortLink }) {
  const words = useLinkPageWords();
  const draft = useMemo(() => draftOf(link), [link]);
  const conditions = useConditions();
  const policy = useThreatPolicy(link);
  const own = describeUnserved(link, words, useNow());
  const given = useIsDomainOff(link.domainId) ? words.unserved.missing : own;
  const rules = given === undefined ? link.rules : [];
  return (
    <Panel title={words.meet}>
      <ol className={css.rules}>
        {rules.map((rule) => (
          <li key={rule.id}>
            <strong>{conditions(rule)}</strong>
            <Answer link={link} destination={rule.destination} policy={policy} />
          </li>
        ))}
        <li>
          <strong>{rules.length === 0 ? words.everyone : words.everyoneElse}</strong>
          {given === undefined ? (
            <Answer link={link} destination={link.destination} policy={policy} />
          ) : (
            <span className="breaks">{given}</span>
          )}
        </li>
      </ol>
      <details className={css.more}>
        <summary className="quiet">{words.tryVisitors}</summary>
        <Preview draft={draft} domain={new URL(link.originUrl).host} saved={link} />
      </details>
    </Panel>
  );
}

interface AnswerProps {
  link: ShortLink;
  destination: ShortLink['destination'];
  policy: ThreatPolicy | undefined;
}

/** Where a destination of the link leads, what visitors meet before, or that they are refused. */
function Answer({ link, destination, policy }: AnswerProps) {
  const words = useLinkPageWords();
  const given = (destination.threatTypes?.length ?? 0) > 0 ? policy : undefined;
  if (given === 'block') return <span className="breaks">{words.unserved.blocked}</span>;
  const first = [given === 'warn' && words.first.warning, link.hasPassword && words.first.password];
  return (
    <div>
      <Address link={link} destination={destination} />
      {first.map(
        (text) =>
          text !== false && (
            <p key={text} className="quiet">
              {text}
            </p>
          ),
      )}
    </div>
  );
}
