import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { staffQuery } from '#console/api/staff.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Button } from '#console/ui/button.tsx';
import { useNow } from '#console/ui/browser/now.ts';
import { Chip } from '#console/ui/page/states.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { StaffFrame } from '#console/staff/frame.tsx';
import { Filters, StaffList, StaffRow } from '#console/staff/list.tsx';
import { useTool } from '#console/staff/use-tool.ts';
import { useStaffWords } from '#console/staff/words.ts';
import layout from '#console/ui/page/layout.module.css';
import { Loaded } from '#console/ui/page/loaded.tsx';
import { usePageSearch } from '#console/app/places/use-page-search.ts';
import type { PeopleSearch } from '#console/staff/search.ts';

/** /staff/people */
export default function StaffPeoplePage() {
  const words = useStaffWords();
  const format = useFormat();
  const now = useNow();
  const { search } = usePageSearch<PeopleSearch>();
  return (
    <StaffFrame page="people">
      {search.id !== undefined && <Person id={search.id} />}
      <StaffList
        path="people.list"
        input={{ search: search.q, organizationId: search.org }}
        title={words.pages.people}
        before={<Filters label={words.searchPeople} />}
      >
        {(person) => (
          <StaffRow
            key={person.id}
            lines={[person.email]}
            actions={
              <span className="quiet">
                {person.lastSeenAt === null
                  ? words.notSignedIn
                  : words.lastSeen(format.agoInHours(person.lastSeenAt, now))}
              </span>
            }
          >
            <Link to="/staff/people" search={{ ...search, id: person.id }}>
              {person.name}
            </Link>{' '}
            {person.isStaff && <Chip tone="accent">{words.isStaff}</Chip>}
          </StaffRow>
        )}
      </StaffList>
    </StaffFrame>
  );
}

function Person({ id }: { id: string }) {
  const words = useStaffWords();
  const format = useFormat();
  const now = useNow();
  const end = useTool('people.endSessions', words.sessionsEnded);
  return (
    <Loaded query={useQuery(staffQuery('people.get', { id }))} rows={3}>
      {(data) => (
        <Panel title={data.name}>
          <p className="quiet">{data.email}</p>
          <h3>{words.pages.organizations}</h3>
          <ul className={layout.rows}>
            {data.memberships.map(({ organizationId, organization, role, isSuspended }) => (
              <li key={organizationId}>
                <Link to="/staff/organizations/$id" params={{ id: organizationId }}>
                  {organization}
                </Link>
                <span className={layout.actions}>
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
            <ul className={layout.rows}>
              {data.sessions.map((session) => (
                <li key={session.id}>
                  <span>
                    {[session.browser, session.os].filter((part) => part !== null).join(', ') || words.unknownBrowser}
                  </span>
                  <span className="quiet">{words.lastSeen(format.agoInHours(session.lastSeenAt, now))}</span>
                </li>
              ))}
            </ul>
          )}
          <p>
            <Button
              icon="signOut"
              variant="danger"
              isDisabled={data.sessions.length === 0}
              isPending={end.isPending}
              onPress={() => end.send({ id })}
            >
              {words.endSessions}
            </Button>
          </p>
        </Panel>
      )}
    </Loaded>
  );
}
