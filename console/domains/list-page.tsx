import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { apiBase } from '#console/api/client.ts';
import { createDomain, domainListQuery, domainsPerPage } from '#console/api/domains.ts';
import { issuesByPath } from '#console/api/error.ts';
import { useCan } from '#console/app/can.ts';
import { useTitle } from '#console/app/title.ts';
import { useFormat } from '#console/i18n/format.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { Pages } from '#console/ui/pages.tsx';
import { Button } from '#console/ui/button.tsx';
import { TextField } from '#console/ui/field.tsx';
import { sayFailed } from '#console/ui/messages.tsx';
import { Chip, Empty, Failed, Skeleton } from '#console/ui/states.tsx';
import { useDomainWords } from './words.ts';
import css from './domains.module.css';

/** /domains */
export function DomainsPage() {
  const words = useDomainWords();
  const ui = useUiWords();
  const format = useFormat();
  useTitle(words.title);
  const { page = 1 } = useSearch({ from: '/frame/domains' });
  const navigate = useNavigate();
  const canCreate = useCan('domains', 'create');
  const [isAdding, setAdding] = useState(false);
  const { data, error, refetch } = useQuery(domainListQuery(page - 1));
  const add = (
    <Button
      variant="primary"
      icon="add"
      isDisabled={!canCreate}
      hint={canCreate ? undefined : ui.notAllowed}
      onPress={() => setAdding(true)}
    >
      {words.add}
    </Button>
  );
  return (
    <div className={css.page}>
      <div className={css.head}>
        <h1>{words.title}</h1>
        {add}
      </div>
      {isAdding && <AddForm onClose={() => setAdding(false)} />}
      {error !== null && data === undefined ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton rows={3} height={4} />
      ) : data.count === 0 ? (
        <Empty
          icon="globe"
          title={words.noneTitle}
          command={`curl -X POST ${apiBase()}/domain -H 'x-api-key: …' \\\n  --json '{"domain":"go.example.com"}'`}
        >
          {words.noneText}
        </Empty>
      ) : (
        <>
          <p className="quiet" role="status">
            {words.found(data.count)}
          </p>
          <ul className={css.list} aria-label={words.title}>
            {data.data.map(({ id, domain, isVerified, isPrimary, links = 0, createdAt }) => (
              <li key={id} className={css.row}>
                <div className={css.names}>
                  <Link to="/domains/$id" params={{ id }} className={css.name}>
                    {domain}
                  </Link>
                  {isPrimary && <Chip>{words.primary}</Chip>}
                </div>
                <Chip tone={isVerified ? 'good' : 'warn'}>{words.states[isVerified ? 'verified' : 'unverified']}</Chip>
                <Link to="/links" search={{ domain: [domain] }}>
                  {words.links(links)}
                </Link>
                <time className="quiet" dateTime={createdAt} title={format.whole(createdAt)}>
                  {format.day(createdAt)}
                </time>
              </li>
            ))}
          </ul>
          <Pages
            page={page}
            pages={Math.ceil(data.count / domainsPerPage)}
            onPage={(next) => void navigate({ to: '/domains', search: { page: next } })}
          />
        </>
      )}
    </div>
  );
}

function AddForm({ onClose }: { onClose: () => void }) {
  const words = useDomainWords();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isPending, setPending] = useState(false);
  const intent = useRef(crypto.randomUUID());

  async function add(): Promise<void> {
    setPending(true);
    setProblem(undefined);
    try {
      const { id } = await createDomain(name, intent.current);
      void queries.invalidateQueries({ queryKey: ['domains'] });
      await navigate({ to: '/domains/$id', params: { id } });
    } catch (error) {
      intent.current = crypto.randomUUID();
      const message = issuesByPath(error).domain;
      if (message === undefined) sayFailed(words.notAdded, error, { label: words.tryAgain, onPress: () => void add() });
      else setProblem(message);
      setPending(false);
    }
  }

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void add();
  };
  return (
    <form className={css.form} onSubmit={submit}>
      <TextField
        label={words.name}
        value={name}
        onChange={setName}
        hint={words.nameHint}
        error={problem}
        placeholder="go.example.com"
        autoComplete="off"
        autoFocus
      />
      <div className={css.actions}>
        <Button type="submit" variant="primary" isPending={isPending} isDisabled={name.trim() === ''}>
          {words.adding}
        </Button>
        <Button onPress={onClose}>{words.cancel}</Button>
      </div>
    </form>
  );
}
