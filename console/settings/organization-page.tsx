import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { changeThreatPolicy, type Organization, organizationQuery } from '#console/api/organization.ts';
import { useCan } from '#console/app/can.ts';
import { useFormat } from '#console/i18n/format.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { Select } from '#console/ui/field.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { Failed, Skeleton } from '#console/ui/states.tsx';
import type { Quota } from '#core/organizations/plans.ts';
import { threatPolicies } from '#core/threats/policy.ts';
import { DeleteOrganization } from './delete-organization.tsx';
import { SettingsFrame } from './frame.tsx';
import { SignInPanel } from './sign-in-panel.tsx';
import { useSettingsWords } from './words.ts';
import css from './settings.module.css';

/** /settings/organization */
export function OrganizationPage() {
  const { data, error, refetch } = useQuery(organizationQuery);
  const canReadSignIn = useCan('apiKeys', 'read');
  return (
    <SettingsFrame page="organization">
      {data !== undefined ? (
        <>
          <Usage organization={data} />
          <Threats organization={data} />
          {canReadSignIn && <SignInPanel />}
          <DeleteOrganization organization={data} />
        </>
      ) : error !== null ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton rows={2} height={12} />
      )}
    </SettingsFrame>
  );
}

function Usage({ organization: { name, plan, quotas, usage } }: { organization: Organization }) {
  const words = useSettingsWords();
  const format = useFormat();
  return (
    <section className={css.panel} aria-label={words.usage}>
      <h2>{name}</h2>
      <p>{words.plan(words.plans[plan])}</p>
      <dl className={css.quotas}>
        {(Object.keys(quotas) as Quota[]).map((quota) => {
          const write = quota === 'fileBytes' ? format.bytes : format.number;
          const [most, used] = [quotas[quota], usage[quota]];
          const text = most === null ? words.unlimited(write(used)) : words.used(write(used), write(most));
          return (
            <div key={quota}>
              <dt>{words.quotas[quota]}</dt>
              <dd>
                {most !== null && <progress value={Math.min(used, most)} max={Math.max(most, 1)} aria-label={text} />}
              </dd>
              <dd className="tabular">{text}</dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}

function Threats({ organization: { threatPolicy } }: { organization: Organization }) {
  const words = useSettingsWords();
  const ui = useUiWords();
  const queries = useQueryClient();
  // The API lets those change it who manage keys.
  const canChange = useCan('apiKeys', 'update');
  const change = useMutation({
    mutationFn: changeThreatPolicy,
    onSuccess: (organization) => {
      queries.setQueryData(organizationQuery.queryKey, organization);
      sayDone(words.saved);
    },
    onError: (error) => sayFailed(words.notSaved, error),
  });
  return (
    <section className={css.panel} aria-label={words.threats}>
      <h2>{words.threats}</h2>
      <div className={css.form}>
        <Select
          label={words.threats}
          isLabelHidden
          hint={canChange ? words.threatHint : ui.notAllowed}
          value={threatPolicy}
          isDisabled={!canChange || change.isPending}
          onChange={(policy) => policy !== threatPolicy && change.mutate(policy)}
          choices={threatPolicies.map((id) => ({ id, label: words.policies[id] }))}
        />
      </div>
    </section>
  );
}
