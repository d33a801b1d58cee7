import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { invitationsQuery } from '#console/api/invitations.ts';
import { changeRole, type Member, membersPerPage, membersQuery, removeMember } from '#console/api/organization.ts';
import { useCan } from '#console/app/can.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { useFormat } from '#console/i18n/format.ts';
import { Button } from '#console/ui/button.tsx';
import { Confirm } from '#console/ui/dialog.tsx';
import { Pages } from '#console/ui/pages.tsx';
import { Select } from '#console/ui/field.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { Chip, Empty, Failed, Skeleton } from '#console/ui/states.tsx';
import { SettingsFrame } from './frame.tsx';
import { Invitations } from './invitations.tsx';
import { Leave } from './leave.tsx';
import { Transfer } from './transfer.tsx';
import { useSettingsWords } from './words.ts';
import css from './settings.module.css';

/** /settings/people */
export function PeoplePage() {
  const words = useSettingsWords();
  const canRead = useCan('apiKeys', 'read');
  const canInvite = useCan('apiKeys', 'create');
  return (
    <SettingsFrame page="people">
      {canRead ? <People /> : <Empty icon="people" title={words.forAdmins} />}
      {canInvite && <Invitations />}
      {canRead && <Transfer />}
      <Leave />
    </SettingsFrame>
  );
}

function People() {
  const words = useSettingsWords();
  const { page = 1 } = useSearch({ from: '/frame/settings/people' });
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(membersQuery(page - 1));
  if (data === undefined)
    return error === null ? <Skeleton rows={4} /> : <Failed error={error} onRetry={() => void refetch()} />;
  return (
    <section className={css.panel} aria-label={words.people}>
      <p role="status">{words.members(data.count)}</p>
      <p className="quiet">{words.roleHint}</p>
      <ul className={css.rows}>
        {data.data.map((member) => (
          <MemberRow key={member.id} member={member} />
        ))}
      </ul>
      <Pages
        page={page}
        pages={Math.ceil(data.count / membersPerPage)}
        onPage={(next) => void navigate({ to: '/settings/people', search: { page: next } })}
      />
    </section>
  );
}

function MemberRow({ member: { id, name, email, role, createdAt } }: { member: Member }) {
  const words = useSettingsWords();
  const format = useFormat();
  const queries = useQueryClient();
  const { user, organization } = useSession();
  const canChange = useCan('apiKeys', 'update');
  const change = useMutation({
    mutationFn: (next: Member['role']) => changeRole(id, next),
    onSuccess: () => sayDone(words.roleChanged(name)),
    onError: (error) => sayFailed(words.notSaved, error),
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: ['organization', 'members'] });
      if (id === user.id) await queries.invalidateQueries({ queryKey: ['session'] });
    },
  });
  const canDelete = useCan('apiKeys', 'delete');
  const [isAsking, setAsking] = useState(false);
  const remove = useMutation({
    mutationFn: () => removeMember(id),
    onSuccess: () => sayDone(words.removed(name)),
    onError: (error) => sayFailed(words.notSaved, error),
    onSettled: async () => {
      setAsking(false);
      await queries.invalidateQueries({ queryKey: ['organization', 'members'] });
      await queries.invalidateQueries({ queryKey: invitationsQuery.queryKey });
    },
  });
  // Only owners make and unmake owners.
  const isOwner = organization.role === 'owner';
  const choices = (Object.keys(words.roles) as Member['role'][]).filter(
    (one) => one === role || isOwner || one !== 'owner',
  );
  return (
    <li>
      <span>
        <strong>{name}</strong> {id === user.id && <Chip>{words.itsYou}</Chip>}
        <br />
        <span className="quiet">
          {email} · {words.joined(format.day(createdAt))}
        </span>
      </span>
      <Select
        label={words.roleOf(name)}
        isLabelHidden
        value={role}
        isDisabled={!canChange || change.isPending || (role === 'owner' && !isOwner)}
        onChange={(next) => next !== role && change.mutate(next)}
        choices={choices.map((one) => ({ id: one, label: words.roles[one] }))}
      />
      {id !== user.id && canDelete && (isOwner || role !== 'owner') && (
        <Button size="small" icon="trash" aria-label={words.removePerson(name)} onPress={() => setAsking(true)}>
          {words.remove}
        </Button>
      )}
      {isAsking && (
        <Confirm
          title={words.removeTitle(name)}
          isOpen
          onClose={() => setAsking(false)}
          confirmLabel={words.remove}
          isDanger
          isConfirmDisabled={remove.isPending}
          onConfirm={() => remove.mutate()}
        >
          <p>{words.removeText}</p>
        </Confirm>
      )}
    </li>
  );
}
