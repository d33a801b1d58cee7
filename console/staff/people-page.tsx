import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { staffQuery } from '#console/api/staff.ts';
import { useFormat } from '#console/i18n/format.ts';
import settings from '#console/settings/settings.module.css';
import { Button } from '#console/ui/button.tsx';
import { useNow } from '#console/ui/now.ts';
import { Chip, Failed, Skeleton } from '#console/ui/states.tsx';
import { Filters } from './filters.tsx';
import { StaffFrame } from './frame.tsx';
import { StaffList } from './list.tsx';
import type { StaffListSearch } from './search.ts';
import { useChange } from './use-change.ts';
import { useStaffWords } from './words.ts';
import css from './staff.module.css';

/** /staff/people */
export function StaffPeoplePage() {
  const words = useStaffWords();
  const format = useFormat();
  const now = useNow();
  const search = useSearch({ from: '/frame/staff/people' });
  const navigate = useNavigate();
  const set = useCallback(
    (next: StaffListSearch) =>
      void navigate({
        to: '/staff/people',
        search: (before) => ({ ...before, ...next, id: undefined }),
        replace: true,
      }),
    [navigate],
  );
  return (
    <StaffFrame page="people">
      {search.id !== undefined && <Person id={search.id} />}
      <StaffList
        path="people.list"
        input={{ search: search.q, organizationId: search.org }}
        title={words.pages.people}
        before={<Filters search={search} label={words.searchPeople} onSearch={set} />}
      >
        {(person) => (
          <li key={person.id}>
            <span className={css.about}>
              <span>
                <Link to="/staff/people" search={{ ...search, id: person.id }}>
                  {person.name}
                </Link>{' '}
                {person.isStaff && <Chip tone="accent">{words.isStaff}</Chip>}
              </span>
              <span className="quiet">{person.email}</span>
            </span>
            <span className="quiet">
              {person.lastSeenAt === null ? words.notSignedIn : words.lastSeen(format.ago(person.lastSeenAt, now))}
            </span>
          </li>
        )}
      </StaffList>
    </StaffFrame>
  );
}

function Person({ id }: { id: string }) {
  const words = useStaffWords();
  const format = useFormat();
  const now = useNow();
  const { data, error, refetch } = useQuery(staffQuery('people.get', { id }));
  const end = useChange('people.endSessions', words.sessionsEnded);
  if (data === undefined)
    return error === null ? <Skeleton rows={3} /> : <Failed error={error} onRetry={() => void refetch()} />;
  return (
    <section className={settings.panel} aria-label={data.name}>
      <h2>{data.name}</h2>
      <p className="quiet">{data.email}</p>
      <h3>{words.pages.organizations}</h3>
      <ul className={css.rows}>
        {data.memberships.map(({ organizationId, organization, role, isSuspended }) => (
          <li key={organizationId}>
            <Link to="/staff/organizations/$id" params={{ id: organizationId }}>
              {organization}
            </Link>
            <span className={css.actions}>
              {isSuspended && <Chip tone="bad">{words.suspended}</Chip>}
              <Chip>{words.roles[role]}</Chip>
            </span>
          </li>
        ))}
      </ul>
      <h3>{words.browsers}</h3>
      {data.sessions.length === 0 ? (
        <p className="quiet">{words.notSignedIn}</p>
      ) : (
        <ul className={css.rows}>
          {data.sessions.map((session) => (
            <li key={session.id}>
              <span>
                {[session.browser, session.os].filter((part) => part !== null).join(', ') || words.unknownBrowser}
              </span>
              <span className="quiet">{words.lastSeen(format.ago(session.lastSeenAt, now))}</span>
            </li>
          ))}
        </ul>
      )}
      <p>
        <Button
          icon="signOut"
          variant="danger"
          isDisabled={end.isPending || data.sessions.length === 0}
          onPress={() => end.mutate({ id })}
        >
          {words.endSessions}
        </Button>
      </p>
    </section>
  );
}
