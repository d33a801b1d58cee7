import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { issuesByPath } from '#console/api/error.ts';
import {
  type CreatedInvitation,
  type Invitation,
  invite,
  invitationsQuery,
  resendInvitation,
  revokeInvitation,
} from '#console/api/invitations.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { useFormat } from '#console/i18n/format.ts';
import { Button } from '#console/ui/button.tsx';
import { Code } from '#console/ui/code.tsx';
import { Dialog } from '#console/ui/dialog.tsx';
import { Select, TextField } from '#console/ui/field.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { useNow } from '#console/ui/now.ts';
import { Chip, Failed, Skeleton } from '#console/ui/states.tsx';
import { useInvitationWords } from './invitation-words.ts';
import { useSettingsWords } from './words.ts';
import css from './settings.module.css';

/** Invitations to the organization, with their states. */
export function Invitations() {
  const words = useInvitationWords();
  const { data, error, refetch } = useQuery(invitationsQuery);
  const [isInviting, setInviting] = useState(false);
  const [passedOn, setPassedOn] = useState<string>();
  const take = ({ joinUrl }: CreatedInvitation): void => {
    if (joinUrl !== null) setPassedOn(joinUrl);
  };
  return (
    <section className={css.panel} aria-label={words.title}>
      <h2>{words.title}</h2>
      <div>
        <Button variant="primary" icon="add" onPress={() => setInviting(true)}>
          {words.invite}
        </Button>
      </div>
      {data === undefined ? (
        error === null ? (
          <Skeleton rows={2} />
        ) : (
          <Failed error={error} onRetry={() => void refetch()} />
        )
      ) : data.count === 0 ? (
        <p className="quiet">{words.none}</p>
      ) : (
        <ul className={css.rows}>
          {data.data.map((one) => (
            <InvitationRow key={one.id} one={one} onSent={take} />
          ))}
        </ul>
      )}
      {isInviting && (
        <InviteDialog
          onClose={() => setInviting(false)}
          onMade={(made) => {
            setInviting(false);
            take(made);
          }}
        />
      )}
      {passedOn !== undefined && (
        <Dialog
          title={words.title}
          isOpen
          // Escape must not take away what no later page shows.
          isDismissable={false}
          onClose={() => setPassedOn(undefined)}
          actions={
            <Button variant="primary" onPress={() => setPassedOn(undefined)}>
              {words.done}
            </Button>
          }
        >
          <p>{words.joinUrl}</p>
          <Code text={passedOn} label={words.copy} name={words.copy} />
        </Dialog>
      )}
    </section>
  );
}

function InvitationRow({ one, onSent }: { one: Invitation; onSent: (sent: CreatedInvitation) => void }) {
  const words = useInvitationWords();
  const { roles } = useSettingsWords();
  const format = useFormat();
  const now = useNow();
  const queries = useQueryClient();
  const { id, email, role, state, mailedAt, expiresAt } = one;
  const onSettled = () => queries.invalidateQueries({ queryKey: invitationsQuery.queryKey });
  const onError = (error: unknown): void => sayFailed(words.notChanged, error);
  const resend = useMutation({
    mutationFn: () => resendInvitation(id),
    onSuccess: (sent) => {
      sayDone(words.resent(email));
      onSent(sent);
    },
    onError,
    onSettled,
  });
  const revoke = useMutation({
    mutationFn: () => revokeInvitation(id),
    onSuccess: () => sayDone(words.revoked(email)),
    onError,
    onSettled,
  });
  const mail = mailedAt === null ? words.notMailed : words.mailed(format.ago(mailedAt, now));
  return (
    <li>
      <span>
        <strong>{email}</strong> <Chip>{words.states[state]}</Chip>
        <br />
        <span className="quiet">
          {roles[role]}
          {state === 'pending' && ` · ${mail} · ${words.until(format.whole(expiresAt))}`}
        </span>
      </span>
      {(state === 'pending' || state === 'expired') && (
        <span className={css.presets}>
          <Button
            size="small"
            icon="refresh"
            aria-label={words.resendTo(email)}
            isDisabled={resend.isPending}
            onPress={() => resend.mutate()}
          >
            {words.resend}
          </Button>
          <Button
            size="small"
            icon="trash"
            aria-label={words.revokeOf(email)}
            isDisabled={revoke.isPending}
            onPress={() => revoke.mutate()}
          >
            {words.revoke}
          </Button>
        </span>
      )}
    </li>
  );
}

function InviteDialog({ onMade, onClose }: { onMade: (made: CreatedInvitation) => void; onClose: () => void }) {
  const words = useInvitationWords();
  const { roles } = useSettingsWords();
  const isOwner = useSession().organization.role === 'owner';
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Invitation['role']>('member');
  const [intent, setIntent] = useState(() => crypto.randomUUID());
  const send = useMutation({
    mutationFn: () => invite({ email: email.trim(), role }, intent),
    onSuccess: async (made) => {
      sayDone(words.invited(made.email));
      await queries.invalidateQueries({ queryKey: invitationsQuery.queryKey });
      onMade(made);
    },
    onError: (error) => {
      setIntent(crypto.randomUUID());
      if (issuesByPath(error).email === undefined) sayFailed(words.notInvited, error);
    },
  });
  const submit = (): void => {
    if (email.trim() !== '' && !send.isPending) send.mutate();
  };
  return (
    <Dialog
      title={words.invite}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{words.cancel}</Button>
          <Button variant="primary" isDisabled={email.trim() === '' || send.isPending} onPress={submit}>
            {words.send}
          </Button>
        </>
      }
    >
      <form
        className={css.stack}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextField
          label={words.email}
          type="email"
          hint={words.hint}
          value={email}
          onChange={setEmail}
          autoComplete="off"
          autoFocus
          error={send.error === null ? undefined : issuesByPath(send.error).email}
        />
        <Select
          label={words.role}
          value={role}
          onChange={setRole}
          choices={(['member', 'admin', 'owner'] as const)
            .filter((one) => isOwner || one !== 'owner')
            .map((id) => ({ id, label: roles[id] }))}
        />
      </form>
    </Dialog>
  );
}
