import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { apiBase } from '#console/api/client.ts';
import { createDomain, domainListQuery, domainsPerPage } from '#console/api/domains.ts';
import { useRefusal } from '#console/app/can.ts';
import { useTitle } from '#console/app/places/title.ts';
import { Button } from '#console/ui/button.tsx';
import { TextField } from '#console/ui/form/field.tsx';
import { Chip, Empty } from '#console/ui/page/states.tsx';
import { Moment } from '#console/ui/page/moment.tsx';
import { hostOfTyped } from './typed-host.ts';
import { useDomainWords } from './words.ts';
import css from './domains.module.css';
import layout from '#console/ui/page/layout.module.css';
import { Form } from '#console/ui/form/form.tsx';
import { List } from '#console/ui/list/list.tsx';
import { useChange } from '#console/ui/form/use-change.ts';
import type { PageSearch } from '#console/app/places/search.ts';
import { usePageSearch } from '#console/app/places/use-page-search.ts';

/** /domains */
export default function DomainsPage() {
  const words = useDomainWords();
  useTitle(words.domains);
  const { search, change } = usePageSearch<PageSearch>();
  const refusal = useRefusal('domains', 'create');
  const [isAdding, setAdding] = useState(false);
  const { page = 1 } = search;
  return (
    <div className={layout.page}>
      <div className={layout.head}>
        <h1>{words.domains}</h1>
        {!isAdding && (
          <Button variant="primary" icon="add" refusal={refusal} onPress={() => setAdding(true)}>
            {words.add}
          </Button>
        )}
      </div>
      {isAdding && <AddForm onClose={() => setAdding(false)} />}
      <List
        query={useQuery(domainListQuery(page - 1))}
        page={page}
        perPage={domainsPerPage}
        onPage={(next) => change({ page: next })}
        found={words.found}
        rows={3}
        height={4}
        empty={
          <Empty
            icon="globe"
            title={words.noneTitle}
            command={`curl -X POST ${apiBase()}/domain -H 'x-api-key: …' \\\n  --json '{"domain":"go.example.com"}'`}
          >
            {words.noneText}
          </Empty>
        }
      >
        {(domains) => (
          <ul className={layout.list} aria-label={words.domains}>
            {domains.map(({ id, domain, isVerified, isActive, isPrimary, links = 0, createdAt }) => (
              <li key={id} className={`${layout.row} ${css.row}`}>
                <div className={css.names}>
                  <Link to="/domains/$id" params={{ id }} className={layout.name}>
                    {domain}
                  </Link>
                  {isPrimary && <Chip>{words.primary}</Chip>}
                  {!isActive && <Chip tone="warn">{words.off}</Chip>}
                </div>
                <Chip tone={isVerified ? 'good' : 'warn'}>{words.states[isVerified ? 'verified' : 'unverified']}</Chip>
                <Link to="/links" search={{ domain: [domain] }}>
                  {words.links(links)}
                </Link>
                <Moment at={createdAt} as="day" className="quiet" />
              </li>
            ))}
          </ul>
        )}
      </List>
    </div>
  );
}

function AddForm({ onClose }: { onClose: () => void }) {
  const words = useDomainWords();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const add = useChange({
    send: (_input: void, intent) => createDomain(hostOfTyped(`https://${name.trim()}`), intent),
    failed: words.notAdded,
    fields: ['domain'],
    refresh: [['domains']],
    leave: ({ id }) => navigate({ to: '/domains/$id', params: { id } }),
  });
  return (
    <Form isReady={!add.isPending} onSubmit={add.send}>
      <TextField
        label={words.name}
        value={name}
        onChange={(typed) => setName(hostOfTyped(typed))}
        hint={words.nameHint}
        error={add.issues.domain}
        placeholder="go.example.com"
        autoComplete="off"
        autoFocus
      />
      <div className={layout.actions}>
        <Button type="submit" variant="primary" isPending={add.isPending} isDisabled={name.trim() === ''}>
          {words.adding}
        </Button>
        <Button onPress={onClose}>{words.cancel}</Button>
      </div>
    </Form>
  );
}
