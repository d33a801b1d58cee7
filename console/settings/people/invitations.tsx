import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type CreatedInvitation,
  type Invitation,
  invitationsQuery,
  invite,
  resendInvitation,
  revokeInvitation,
} from '#console/api/people/invitations.ts';
import { useRefusal } from '#console/app/can.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { useFormat } from '#console/i18n/format.ts';
import { Button } from '#console/ui/button.tsx';
import { Code } from '#console/ui/text/code.tsx';
import { TextField } from '#console/ui/form/field.tsx';
import { Select } from '#console/ui/form/list-field.tsx';
import { useNow } from '#console/ui/browser/now.ts';
import { Chip } from '#console/ui/page/states.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { usePeopleWords } from './words.ts';
import { useSettingsWords } from '#console/settings/words.ts';
import layout from '#console/ui/page/layout.module.css';
import { FormDialog } from '#console/ui/form/form-dialog.tsx';
import { OnceDialog } from '#console/ui/form/once-dialog.tsx';
import { Loaded } from '#console/ui/page/loaded.tsx';
import { useChange } from '#console/ui/form/use-change.ts';

/** Invitations to the organization, with their states. */
export function Invitations() {
  const words = usePeopleWords();
  const [isInviting, setInviting] = useState(false);
  const [passedOn, setPassedOn] = useState<string>();
  const take = ({ joinUrl }: CreatedInvitation): void => {
    if (joinUrl !== null) setPassedOn(joinUrl);
  };
  return (
    <Panel title={words.title}>
      <div>
        <Button variant="primary" icon="add" onPress={() => setInviting(true)}>
          {words.invite}
        </Button>
      </div>
      <Loaded query={useQuery(invitationsQuery)} rows={2}>
        {({ data, count }) =>
          count === 0 ? (
            <p className="quiet">{words.none}</p>
          ) : (
            <ul className={layout.rows}>
              {data.map((one) => (
                <InvitationRow key={one.id} one={one} onSent={take} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {isInviting && <InviteDialog onClose={() => setInviting(false)} onMade={take} />}
      {passedOn !== undefined && (
        <OnceDialog title={words.title} done={words.done} onClose={() => setPassedOn(undefined)}>
          <p>{words.joinUrl}</p>
          <Code text={passedOn} label={words.copy} name={words.copy} isWhole />
        </OnceDialog>
      )}
    </Panel>
  );
}

/** The panel of invitations for people who may not invite. */
export function InvitationsRefused() {
  const words = usePeopleWords();
  return (
    <Panel title={words.title}>
      <div>
        <Button icon="add" refusal={useRefusal('apiKeys', 'create')}>
          {words.invite}
        </Button>
      </div>
    </Panel>
  );
}

function InvitationRow({ one, onSent }: { one: Invitation; onSent: (sent: CreatedInvitation) => void }) {
  const words = usePeopleWords();
  const { roles, roleNouns } = useSettingsWords();
  const format = useFormat();
  const now = useNow();
  const { installation } = useSession();
  const { id, email, role, state, isMember, mailedAt, expiresAt } = one;
  const refresh = [invitationsQuery.queryKey];
  const resend = useChange({
    send: () => resendInvitation(id),
    done: words.resent(email),
    failed: words.notResent(email),
    refresh,
    onDone: onSent,
  });
  const revoke = useChange({
    send: () => revokeInvitation(id),
    done: words.revoked(email),
    failed: words.notRevoked(email),
    refresh,
  });
  const mail =
    mailedAt === null
      ? installation.hasMail
        ? words.notMailed
        : words.noMail
      : words.mailed(format.ago(mailedAt, now));
  return (
    <li>
      <span>
        <strong>{email}</strong> <Chip>{state === 'accepted' && !isMember ? words.noMember : words.states[state]}</Chip>
        <br />
        <span className="quiet">
          {state === 'pending'
            ? `${roles[role]} · ${mail} · ${words.until(format.moment(expiresAt))}`
            : words.invitedAs(roleNouns[role])}
        </span>
      </span>
      {(state === 'pending' || state === 'expired') && (
        <span className={layout.actions}>
          <Button
            size="small"
            icon="refresh"
            aria-label={words.resendTo(email)}
            isPending={resend.isPending}
            onPress={() => resend.send()}
          >
            {words.resend}
          </Button>
          <Button
            size="small"
            icon="trash"
            aria-label={words.revokeOf(email)}
            isPending={revoke.isPending}
            onPress={() => revoke.send()}
          >
            {words.revoke}
          </Button>
        </span>
      )}
    </li>
  );
}

function InviteDialog({ onMade, onClose }: { onMade: (made: CreatedInvitation) => void; onClose: () => void }) {
  const words = usePeopleWords();
  const { roles } = useSettingsWords();
  const { organization, installation } = useSession();
  const isOwner = organization.role === 'owner';
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Invitation['role']>('member');
  const send = useChange({
    send: (_input: void, intent) => invite({ email: email.trim(), role }, intent),
    done: (made) => words.invited(made.email),
    failed: words.notInvited,
    fields: ['email'],
    refresh: [invitationsQuery.queryKey],
    onDone: onMade,
    leave: onClose,
  });
  return (
    <FormDialog
      title={words.invite}
      onClose={onClose}
      submitLabel={words.send}
      isReady={email.trim() !== ''}
      isPending={send.isPending}
      onSubmit={send.send}
    >
      <TextField
        label={words.email}
        type="email"
        hint={installation.hasMail ? words.hint : words.hintNoMail}
        value={email}
        onChange={setEmail}
        autoComplete="off"
        autoFocus
        error={send.issues.email}
      />
      <Select
        label={words.role}
        value={role}
        onChange={setRole}
        choices={(['member', 'admin', 'owner'] as const)
          .filter((one) => isOwner || one !== 'owner')
          .map((id) => ({ id, label: roles[id] }))}
      />
    </FormDialog>
  );
}
