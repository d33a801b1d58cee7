import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { PageSearch } from '#console/app/places/search.ts';
import { usePageSearch } from '#console/app/places/use-page-search.ts';
import { invitationsQuery, leaveOrganization } from '#console/api/people/invitations.ts';
import { changeRole, type Member, membersPerPage, membersQuery, removeMember } from '#console/api/organization.ts';
import { useCan, useRefusal } from '#console/app/can.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { useFormat } from '#console/i18n/format.ts';
import { ConfirmButton, ConfirmChange } from '#console/ui/form/form-dialog.tsx';
import { Select } from '#console/ui/form/list-field.tsx';
import { Chip, Empty } from '#console/ui/page/states.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { SettingsFrame } from '#console/settings/frame.tsx';
import { Invitations, InvitationsRefused } from './invitations.tsx';
import { Transfer } from './transfer.tsx';
import { useSettingsWords } from '#console/settings/words.ts';
import css from '#console/settings/settings.module.css';
import layout from '#console/ui/page/layout.module.css';
import { List } from '#console/ui/list/list.tsx';
import { useRouter } from '@tanstack/react-router';
import { moveSession } from '#console/app/refresh-session.ts';
import { usePeopleWords } from './words.ts';

/** /settings/people */
export default function PeoplePage() {
  const words = useSettingsWords();
  const canRead = useCan('apiKeys', 'read');
  const canInvite = useCan('apiKeys', 'create');
  return (
    <SettingsFrame page="people">
      {canRead ? <People /> : <Empty icon="people" title={words.forAdmins} />}
      {canInvite ? <Invitations /> : <InvitationsRefused />}
      <Transfer />
      <Leave />
    </SettingsFrame>
  );
}

function People() {
  const words = useSettingsWords();
  const { search, change } = usePageSearch<PageSearch>();
  const { page = 1 } = search;
  return (
    <Panel title={words.people} heading={null}>
      <p className="quiet">{words.roleHint}</p>
      <List
        query={useQuery(membersQuery(page - 1))}
        page={page}
        perPage={membersPerPage}
        onPage={(next) => change({ page: next })}
        found={words.members}
        empty={null}
      >
        {(members) => (
          <ul className={`${layout.rows} ${css.members}`}>
            {members.map((member) => (
              <MemberRow key={member.id} member={member} />
            ))}
          </ul>
        )}
      </List>
    </Panel>
  );
}

function MemberRow({ member: { id, name, email, role, createdAt } }: { member: Member }) {
  const words = useSettingsWords();
  const format = useFormat();
  const { user, organization } = useSession();
  const notAllowed = useRefusal('apiKeys', 'update');
  const isSelf = id === user.id;
  const shared = {
    done: words.roleChanged(name),
    failed: words.roleNotChanged(name),
    refresh: [['organization', 'members'], ...(isSelf ? [['session']] : [])],
  };
  // A letter or an arrow key in the closed select chooses too: no role changes without a question.
  const [asked, setAsked] = useState<Member['role']>();
  const notRemovable = useRefusal('apiKeys', 'delete');
  // Only owners make and unmake owners.
  const isOwner = organization.role === 'owner';
  const choices = (Object.keys(words.roles) as Member['role'][]).filter(
    (one) => one === role || isOwner || one !== 'owner',
  );
  const noChange = notAllowed ?? (role === 'owner' && !isOwner ? words.ownersChange : undefined);
  return (
    <li>
      <span>
        <strong>{name}</strong> {isSelf && <Chip>{words.itsYou}</Chip>}
        <br />
        <span className="quiet">
          {email} · {words.joined(format.day(createdAt))}
        </span>
      </span>
      <Select
        label={words.roleOf(name)}
        isLabelHidden
        value={role}
        refusal={noChange}
        onChange={(next) => next !== role && setAsked(next)}
        choices={choices.map((one) => ({ id: one, label: words.roles[one] }))}
      />
      {!isSelf && (
        <ConfirmButton
          button={{
            size: 'small',
            icon: 'trash',
            'aria-label': words.removePerson(name),
            refusal: notRemovable ?? (isOwner || role !== 'owner' ? undefined : words.ownersOnly),
            children: words.remove,
          }}
          title={words.removeTitle(name)}
          submitLabel={words.remove}
          change={{
            send: () => removeMember(id),
            done: words.removed(name),
            failed: words.personNotRemoved(name),
            refresh: [['organization', 'members'], invitationsQuery.queryKey],
          }}
        >
          <p>{words.removeText}</p>
        </ConfirmButton>
      )}
      {asked !== undefined && (
        <ConfirmChange
          title={words.roleTitle(name, words.roles[asked])}
          onClose={() => setAsked(undefined)}
          submitLabel={words.changeRole}
          change={{ ...shared, send: () => changeRole(id, asked) }}
        >
          <p>{isSelf ? words.ownRoleText : roleTextOf(name, role, asked, words)}</p>
        </ConfirmChange>
      )}
    </li>
  );
}

/** What another role means for another person. */
function roleTextOf(
  name: string,
  role: Member['role'],
  next: Member['role'],
  { roleText }: ReturnType<typeof useSettingsWords>,
): string {
  if (role === 'owner') return roleText.noOwner(name);
  return next === 'owner' ? roleText.owner(name) : roleText.other(name);
}

/** The way out of the organization. */
function Leave() {
  const words = usePeopleWords();
  const { organization } = useSession();
  const queries = useQueryClient();
  const router = useRouter();
  return (
    <div>
      <ConfirmButton
        button={{ icon: 'signOut', children: words.leave }}
        title={words.leaveTitle(organization.name)}
        submitLabel={words.leaveNow}
        change={{
          send: leaveOrganization,
          done: words.left(organization.name),
          failed: words.notLeft,
          onDone: async () => {
            await router.navigate({ to: '/links', search: {} });
            await moveSession(queries);
            await router.invalidate();
          },
        }}
      >
        <p>{words.leaveText}</p>
      </ConfirmButton>
    </div>
  );
}
