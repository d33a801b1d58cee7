import { useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  changeOrganization,
  deleteOrganization,
  type Organization,
  organizationQuery,
} from '#console/api/organization.ts';
import { sessionQuery } from '#console/api/people/session.ts';
import { useOwnersRefusal, useRefusal } from '#console/app/can.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Button } from '#console/ui/button.tsx';
import { Form } from '#console/ui/form/form.tsx';
import { TextField } from '#console/ui/form/field.tsx';
import { Select } from '#console/ui/form/list-field.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import type { Quota } from '#core/organizations/plans.ts';
import { threatPolicies } from '#core/threats/policy.ts';
import { SettingsFrame } from './frame.tsx';
import { SignInPanel } from './sign-in-panel.tsx';
import { useSettingsWords } from './words.ts';
import css from './settings.module.css';
import { Loaded } from '#console/ui/page/loaded.tsx';
import { useChange } from '#console/ui/form/use-change.ts';
import { usePeopleWords } from './people/words.ts';
import { ConfirmByName } from '#console/ui/form/form-dialog.tsx';
import { useNavigate } from '@tanstack/react-router';

/** /settings/organization */
export default function OrganizationPage() {
  return (
    <SettingsFrame page="organization">
      <Loaded query={useQuery(organizationQuery)} rows={2} height={12}>
        {(organization) => (
          <>
            <Name organization={organization} />
            <Usage organization={organization} />
            <Threats organization={organization} />
            <SignInPanel />
            <DeleteOrganization organization={organization} />
          </>
        )}
      </Loaded>
    </SettingsFrame>
  );
}

function Name({ organization }: { organization: Organization }) {
  const words = useSettingsWords();
  const refusal = useRefusal('apiKeys', 'update');
  const [name, setName] = useState(organization.name);
  const change = useChange({
    send: () => changeOrganization({ name: name.trim() }),
    done: words.saved,
    failed: words.notSaved,
    fields: ['name'],
    refresh: [organizationQuery.queryKey, sessionQuery.queryKey],
  });
  return (
    <Panel title={words.organizationName}>
      <Form isReady onSubmit={change.send}>
        <TextField
          label={words.organizationName}
          isLabelHidden
          hint={words.organizationNameHint}
          refusal={refusal}
          value={name}
          onChange={setName}
          error={change.issues.name}
        />
        <Button
          type="submit"
          isPending={change.isPending}
          refusal={refusal}
          isDisabled={name.trim() === organization.name}
        >
          {words.save}
        </Button>
      </Form>
    </Panel>
  );
}

function Usage({ organization: { plan, quotas, usage } }: { organization: Organization }) {
  const words = useSettingsWords();
  const format = useFormat();
  return (
    <Panel title={words.usage}>
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
    </Panel>
  );
}

function Threats({ organization: { threatPolicy } }: { organization: Organization }) {
  const words = useSettingsWords();
  const queries = useQueryClient();
  // The API lets those change it who manage keys.
  const refusal = useRefusal('apiKeys', 'update');
  // A letter or an arrow key in the closed select chooses too: visitors get something else by the button alone.
  const [chosen, setChosen] = useState(threatPolicy);
  const change = useChange({
    send: () => changeOrganization({ threatPolicy: chosen }),
    done: words.saved,
    failed: words.notSaved,
    onDone: (organization) => queries.setQueryData(organizationQuery.queryKey, organization),
  });
  return (
    <Panel title={words.threats}>
      <Form isReady={chosen !== threatPolicy && !change.isPending} onSubmit={change.send}>
        <Select
          label={words.threats}
          isLabelHidden
          hint={words.threatHint}
          refusal={refusal}
          value={chosen}
          onChange={setChosen}
          choices={threatPolicies.map((id) => ({ id, label: words.policies[id] }))}
        />
        <Button type="submit" isPending={change.isPending} refusal={refusal} isDisabled={chosen === threatPolicy}>
          {words.save}
        </Button>
      </Form>
    </Panel>
  );
}

/** Deletes the organization, for owners who type its name. */
function DeleteOrganization({ organization: { name, usage } }: { organization: Organization }) {
  const words = usePeopleWords();
  const format = useFormat();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const remove = useChange({
    send: () => deleteOrganization(name),
    failed: words.notRemoved,
    onDone: async ({ progressToken }) => {
      await navigate({ to: '/deleted', hash: `token=${progressToken}`, replace: true });
      queries.clear();
    },
  });
  const refusal = useOwnersRefusal(words.onlyOwners);
  const links = words.links(usage.shortLinks, format.number(usage.shortLinks));
  const domains = words.domains(usage.domains, format.number(usage.domains));
  return (
    <Panel title={words.remove}>
      <p className="quiet">{refusal ?? words.removeHint}</p>
      <div>
        <Button variant="danger" icon="trash" refusal={refusal} onPress={() => setAsking(true)}>
          {words.remove}
        </Button>
      </div>
      {isAsking && (
        <ConfirmByName
          title={words.deleteTitle(name)}
          name={name}
          onClose={() => setAsking(false)}
          submitLabel={words.removeNow}
          isPending={remove.isPending}
          onSubmit={remove.send}
        >
          <p>{words.lost(links, domains)}</p>
        </ConfirmByName>
      )}
    </Panel>
  );
}
