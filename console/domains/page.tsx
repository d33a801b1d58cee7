import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { type Domain, deleteDomain, domainDnsQuery, domainQuery, updateDomain } from '#console/api/domains.ts';
import { issuesByPath } from '#console/api/error.ts';
import { linkStateCountsQuery } from '#console/api/links.ts';
import { useCan } from '#console/app/can.ts';
import { cancelReads, deletionKey, useIsBeingDeleted } from '#console/app/deletion.ts';
import { useTitle } from '#console/app/title.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { Button } from '#console/ui/button.tsx';
import { Confirm } from '#console/ui/dialog.tsx';
import { Switch, TextField } from '#console/ui/field.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { Chip, Failed, Skeleton } from '#console/ui/states.tsx';
import { Apps } from './apps.tsx';
import { Records } from './records.tsx';
import { useDomainWords } from './words.ts';
import css from './domains.module.css';

const QrTemplate = lazy(() => import('./qr-template.tsx'));
const Story = lazy(() => import('#console/processes/story.tsx'));

/** /domains/<id> */
export function DomainPage() {
  const { id } = useParams({ from: '/frame/domains/$id' });
  const { data, error, refetch } = useQuery(domainQuery(id));
  if (data !== undefined) return <DomainView key={id} domain={data} />;
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  return <Skeleton rows={3} height={8} />;
}

const tones = { verified: 'good', unverified: 'warn', failing: 'bad', taken: 'bad' } as const;

function DomainView({ domain }: { domain: Domain }) {
  const words = useDomainWords();
  const ui = useUiWords();
  useTitle(domain.domain);
  const isBeingDeleted = useIsBeingDeleted(domain.id);
  const { data: dns, error, refetch } = useQuery({ ...domainDnsQuery(domain.id), enabled: !isBeingDeleted });
  const canDelete = useCan('domains', 'delete');
  const [isDeleting, setDeleting] = useState(false);
  const state = dns?.state ?? (domain.isVerified ? 'verified' : 'unverified');
  return (
    <article className={css.page}>
      <p>
        <Link to="/domains">{words.back}</Link>
      </p>
      <div className={css.head}>
        <h1>{domain.domain}</h1>
        {domain.isPrimary && <Chip>{words.primary}</Chip>}
        {!domain.isActive && <Chip tone="warn">{words.off}</Chip>}
        <Chip tone={tones[state]}>{words.states[state]}</Chip>
      </div>
      <p role="status">{state === 'failing' ? words.failing(dns?.isLostAfter ?? 0) : words.about[state]}</p>
      {dns !== undefined ? (
        <Records domain={domain} dns={dns} />
      ) : error !== null ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton height={14} />
      )}
      <Behaviour domain={domain} />
      <section className={css.panel} aria-label={words.qr}>
        <h2>{words.qr}</h2>
        <Suspense fallback={<Skeleton height={20} />}>
          <QrTemplate domain={domain} />
        </Suspense>
      </section>
      <Apps domain={domain} />
      <Suspense fallback={<Skeleton height={14} />}>
        <Story subject={domain.id} />
      </Suspense>
      <div>
        <Button
          variant="danger"
          icon="trash"
          isDisabled={!canDelete}
          hint={canDelete ? undefined : ui.notAllowed}
          onPress={() => setDeleting(true)}
        >
          {words.delete}
        </Button>
      </div>
      {isDeleting && <DeleteDialog domain={domain} onClose={() => setDeleting(false)} />}
    </article>
  );
}

function Behaviour({ domain }: { domain: Domain }) {
  const words = useDomainWords();
  const ui = useUiWords();
  const queries = useQueryClient();
  const canChange = useCan('domains', 'update');
  const [fallback, setFallback] = useState(domain.fallbackUrl ?? '');
  const { id } = domain;
  const change = useMutation({
    mutationFn: (patch: Parameters<typeof updateDomain>[1]) => updateDomain(id, patch),
    onSuccess: () => {
      sayDone(words.saved);
      void queries.invalidateQueries({ queryKey: ['domains'] });
    },
    onError: (error) => {
      if (issuesByPath(error).fallbackUrl === undefined) sayFailed(words.notSaved, error);
    },
  });
  const problem = change.error === null ? undefined : issuesByPath(change.error).fallbackUrl;
  const cannotLead = !canChange ? ui.notAllowed : domain.isVerified ? undefined : words.mustVerify;
  return (
    <section className={css.panel} aria-label={words.behaviour}>
      <h2>{words.behaviour}</h2>
      <Switch
        isSelected={domain.isActive}
        isDisabled={!canChange || change.isPending}
        onChange={(isActive) => change.mutate({ isActive })}
      >
        {words.active}
      </Switch>
      {domain.isPrimary ? (
        <p>{words.isPrimary}</p>
      ) : (
        <div>
          <Button
            size="small"
            isDisabled={cannotLead !== undefined}
            hint={cannotLead}
            onPress={() => change.mutate({ isPrimary: true })}
          >
            {words.makePrimary}
          </Button>
        </div>
      )}
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate({ fallbackUrl: fallback.trim() === '' ? null : fallback.trim() });
        }}
      >
        <TextField
          label={words.fallback}
          value={fallback}
          onChange={setFallback}
          hint={words.fallbackHint}
          error={problem}
          placeholder="https://www.example.com/"
          isDisabled={!canChange}
        />
        <div className={css.actions}>
          <Button
            type="submit"
            isPending={change.isPending}
            isDisabled={!canChange || fallback.trim() === (domain.fallbackUrl ?? '')}
          >
            {words.save}
          </Button>
        </div>
      </form>
    </section>
  );
}

function DeleteDialog({ domain: { id, domain }, onClose }: { domain: Domain; onClose: () => void }) {
  const words = useDomainWords();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [typed, setTyped] = useState('');
  const { data } = useQuery(linkStateCountsQuery({ domainNames: [domain] }));
  const links = (data?.data ?? []).reduce((sum, { count }) => sum + count, 0);
  const remove = useMutation({
    mutationKey: deletionKey(id),
    onMutate: () => cancelReads(queries, id),
    mutationFn: () => deleteDomain(id),
    onSuccess: async () => {
      sayDone(words.deleted(domain));
      await navigate({ to: '/domains' });
      queries.removeQueries({ queryKey: domainQuery(id).queryKey });
      await queries.invalidateQueries({ queryKey: ['domains'] });
      await queries.invalidateQueries({ queryKey: ['links'] });
    },
    onError: (error) => sayFailed(words.notDeleted, error),
  });
  return (
    <Confirm
      title={words.deleteTitle(domain)}
      isOpen
      onClose={onClose}
      confirmLabel={words.delete}
      isDanger
      isPending={remove.isPending}
      isConfirmDisabled={typed.trim() !== domain || data === undefined}
      onConfirm={() => remove.mutate()}
    >
      {data !== undefined && <p>{words.deleteText(links)}</p>}
      <TextField label={words.typeName(domain)} value={typed} onChange={setTyped} autoComplete="off" autoFocus />
    </Confirm>
  );
}
