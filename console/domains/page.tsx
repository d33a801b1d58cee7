import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import {
  deleteDomain,
  type Domain,
  type DomainDns,
  domainDnsQuery,
  type DomainPatch,
  domainQuery,
  updateDomain,
} from '#console/api/domains.ts';
import { linkStateCountsQuery } from '#console/api/links/links.ts';
import { useRefusal } from '#console/app/can.ts';
import { useDeletion, useIsBeingDeleted } from '#console/app/organization/deletion.ts';
import { useSpaceIssue } from '#console/links/editor/destination/spaces.ts';
import { lastSearch } from '#console/app/places/use-page-search.ts';
import { useTitle } from '#console/app/places/title.ts';
import { Button } from '#console/ui/button.tsx';
import { ConfirmByName, ConfirmChange } from '#console/ui/form/form-dialog.tsx';
import { Switch, TextField } from '#console/ui/form/field.tsx';
import { Chip, Skeleton } from '#console/ui/page/states.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { Apps } from './apps.tsx';
import { Records } from './records.tsx';
import { useDomainWords } from './words.ts';
import layout from '#console/ui/page/layout.module.css';
import { Form } from '#console/ui/form/form.tsx';
import { Gone, Loaded } from '#console/ui/page/loaded.tsx';
import { late } from '#console/ui/page/late.tsx';
import { useChange } from '#console/ui/form/use-change.ts';

const QrTemplate = late(async () => (await import('./qr-template.tsx')).default);
const Story = late(async () => (await import('#console/processes/story.tsx')).default);

/** /domains/<id> */
export default function DomainPage() {
  const words = useDomainWords();
  const { id } = useParams({ from: '/frame/domains/$id' });
  return (
    <Loaded
      query={useQuery(domainQuery(id))}
      rows={3}
      height={8}
      gone={<Gone icon="globe" title={words.gone} to="/domains" back={words.back} />}
    >
      {(domain) => <DomainView key={id} domain={domain} />}
    </Loaded>
  );
}

const tones = { verified: 'good', unverified: 'warn', failing: 'bad', taken: 'bad' } as const;

function DomainView({ domain }: { domain: Domain }) {
  const words = useDomainWords();
  useTitle(domain.domain);
  const isBeingDeleted = useIsBeingDeleted(domain.id);
  const query = useQuery({ ...domainDnsQuery(domain.id), enabled: !isBeingDeleted });
  const { data: dns } = query;
  const refusedDelete = useRefusal('domains', 'delete');
  const [isDeleting, setDeleting] = useState(false);
  const state = dns?.state ?? (domain.isVerified ? 'verified' : 'unverified');
  return (
    <article className={layout.page}>
      <p className={layout.back}>
        <Link to="/domains" search={lastSearch('/domains')}>
          {words.back}
        </Link>
      </p>
      <div className={layout.head}>
        <h1>{domain.domain}</h1>
        {domain.isPrimary && <Chip>{words.primary}</Chip>}
        {!domain.isActive && <Chip tone="warn">{words.off}</Chip>}
        <Chip tone={tones[state]}>{words.states[state]}</Chip>
      </div>
      <p role="status">{sentenceOf(domain, state, dns, words)}</p>
      <Loaded query={query} height={19}>
        {(found) => <Records domain={domain} dns={found} />}
      </Loaded>
      <Behaviour domain={domain} />
      <Panel title={words.qrCodes}>
        <Suspense fallback={<Skeleton height={20} />}>
          <QrTemplate domain={domain} />
        </Suspense>
      </Panel>
      <Apps domain={domain} />
      <Suspense fallback={<Skeleton height={14} />}>
        <Story subject={domain.id} />
      </Suspense>
      <div>
        <Button variant="danger" icon="trash" refusal={refusedDelete} onPress={() => setDeleting(true)}>
          {words.delete}
        </Button>
      </div>
      {isDeleting && <DeleteDialog domain={domain} onClose={() => setDeleting(false)} />}
    </article>
  );
}

/** How the domain stands, and what is to be done. */
function sentenceOf(
  { isActive }: Domain,
  state: DomainDns['state'],
  dns: DomainDns | undefined,
  words: ReturnType<typeof useDomainWords>,
): string {
  const count = dns?.needed.length ?? 2;
  if (state === 'failing') return (isActive ? words.failing : words.failingOff)(dns?.isLostAfter ?? 0);
  if (state === 'unverified') return words.publish[count === 1 ? 'one' : count === 2 ? 'both' : 'more'];
  if (state === 'verified' && !isActive) return words.isOff;
  return state === 'verified' && count === 1 ? words.isOwned : words.about[state];
}

function Behaviour({ domain }: { domain: Domain }) {
  const words = useDomainWords();
  const refusal = useRefusal('domains', 'update');
  const spaceIssue = useSpaceIssue();
  const saved = domain.fallbackUrl ?? '';
  const [fallback, setFallback] = useState(saved);
  const [isTurningOff, setTurningOff] = useState(false);
  const { id } = domain;
  const shared = { done: words.saved, failed: words.notSaved, refresh: [['domains']] };
  const change = useChange({
    ...shared,
    send: (patch: DomainPatch) => updateDomain(id, patch),
    fields: ['fallbackUrl'],
  });
  const cannotLead = refusal ?? (domain.isVerified ? undefined : words.mustVerify);
  return (
    <Panel title={words.behaviour}>
      <Switch
        isSelected={domain.isActive}
        refusal={refusal}
        onChange={(isActive) => {
          if (!isActive) setTurningOff(true);
          else if (!change.isPending) change.send({ isActive });
        }}
      >
        {words.active}
      </Switch>
      {isTurningOff && (
        <ConfirmChange
          title={words.offTitle(domain.domain)}
          onClose={() => setTurningOff(false)}
          submitLabel={words.turnOff}
          change={{ ...shared, send: () => updateDomain(id, { isActive: false }) }}
        >
          <p>{words.offText}</p>
        </ConfirmChange>
      )}
      {domain.isPrimary ? (
        <p>{domain.isVerified && domain.isActive ? words.isPrimary : words.willBePrimary}</p>
      ) : (
        <div>
          <Button size="small" refusal={cannotLead} onPress={() => change.send({ isPrimary: true })}>
            {words.makePrimary}
          </Button>
        </div>
      )}
      <Form isReady onSubmit={() => change.send({ fallbackUrl: fallback.trim() === '' ? null : fallback.trim() })}>
        <TextField
          label={words.fallback}
          value={fallback}
          onChange={setFallback}
          hint={words.fallbackHint}
          error={change.issues.fallbackUrl ?? spaceIssue(fallback)}
          placeholder="https://www.example.com/"
          refusal={refusal}
        />
        <div className={layout.actions}>
          <Button type="submit" isPending={change.isPending} refusal={refusal} isDisabled={fallback.trim() === saved}>
            {words.save}
          </Button>
        </div>
      </Form>
    </Panel>
  );
}

function DeleteDialog({ domain: { id, domain }, onClose }: { domain: Domain; onClose: () => void }) {
  const words = useDomainWords();
  const navigate = useNavigate();
  const { data } = useQuery(linkStateCountsQuery({ domainNames: [domain] }));
  const links = (data?.data ?? []).reduce((sum, { count }) => sum + count, 0);
  const remove = useDeletion(id, {
    send: () => deleteDomain(id),
    done: words.deleted(domain),
    failed: words.notDeleted,
    query: domainQuery(id).queryKey,
    leave: () => navigate({ to: '/domains', search: lastSearch('/domains') }),
    refresh: [['domains'], ['links']],
  });
  return (
    <ConfirmByName
      name={domain}
      title={words.deleteTitle(domain)}
      onClose={onClose}
      submitLabel={words.delete}
      isPending={remove.isPending}
      isReady={data !== undefined}
      onSubmit={() => remove.mutateOnce()}
    >
      {data !== undefined && <p>{words.deleteText(links)}</p>}
    </ConfirmByName>
  );
}
