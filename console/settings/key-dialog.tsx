import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { issuesByPath } from '#console/api/error.ts';
import { type ApiKey, createKey, type CreatedKey, type KeyPermissions, updateKey } from '#console/api/keys.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { Button } from '#console/ui/button.tsx';
import { Dialog } from '#console/ui/dialog.tsx';
import { Checkbox, Select, TextField } from '#console/ui/field.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import type { Action, Resource } from '#core/organizations/permissions.ts';
import { useKeyWords } from './key-words.ts';
import css from './settings.module.css';

interface KeyDialogProps {
  /** The key to be changed; undefined: a new one is made. */
  changed: ApiKey | undefined;
  /** Called with a new key. */
  onMade: (made: CreatedKey) => void;
  onClose: () => void;
}

/** Name and permissions of a key. */
export function KeyDialog({ changed, onMade, onClose }: KeyDialogProps) {
  const words = useKeyWords();
  const queries = useQueryClient();
  const { permissions: own } = useSession();
  const [type, setType] = useState<ApiKey['type']>(changed?.type ?? 'bot');
  const [name, setName] = useState(changed?.name ?? '');
  const [permissions, setPermissions] = useState<KeyPermissions>(changed?.permissions ?? only(own, type, ['read']));
  const [intent] = useState(() => crypto.randomUUID());
  const save = useMutation({
    mutationFn: async (): Promise<CreatedKey | undefined> => {
      if (changed === undefined) return createKey({ type, name: name.trim(), permissions }, intent);
      await updateKey(changed.id, { name: name.trim(), permissions });
      return undefined;
    },
    onSuccess: async (made) => {
      await queries.invalidateQueries({ queryKey: ['keys'] });
      if (made !== undefined) onMade(made);
      else {
        sayDone(words.saved);
        onClose();
      }
    },
    onError: (error) => {
      if (issuesByPath(error).name === undefined) sayFailed(words.notSaved, error);
    },
  });
  const choose = (next: ApiKey['type']): void => {
    setType(next);
    // A bot key never manages keys and people.
    if (next === 'bot') setPermissions(({ apiKeys: _none, ...rest }) => rest);
  };
  return (
    <Dialog
      title={changed === undefined ? words.makeTitle : words.editTitle(changed.name)}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{words.cancel}</Button>
          <Button
            variant="primary"
            // Not pending: its announcement would outlive the button of a dialog that closes.
            isDisabled={name.trim() === '' || save.isPending}
            onPress={() => save.mutate()}
          >
            {changed === undefined ? words.create : words.save}
          </Button>
        </>
      }
    >
      <form
        className={css.stack}
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== '') save.mutate();
        }}
      >
        <TextField
          label={words.name}
          hint={words.nameHint}
          value={name}
          onChange={setName}
          autoComplete="off"
          autoFocus
          error={save.error === null ? undefined : issuesByPath(save.error).name}
        />
        {changed === undefined && (
          <Select
            label={words.type}
            value={type}
            onChange={choose}
            choices={(['bot', 'user'] as const).map((id) => ({ id, label: words.types[id] }))}
          />
        )}
        <fieldset className={css.permissions}>
          <legend>{words.permissions}</legend>
          <div className={css.presets}>
            <Button size="small" onPress={() => setPermissions(only(own, type, actions))}>
              {words.everything}
            </Button>
            <Button size="small" onPress={() => setPermissions(only(own, type, ['read']))}>
              {words.readOnly}
            </Button>
          </div>
          <Permissions own={own} type={type} chosen={permissions} onChange={setPermissions} />
        </fieldset>
      </form>
    </Dialog>
  );
}

const actions: readonly Action[] = ['create', 'read', 'update', 'delete'];
const resources: readonly Resource[] = ['shortLinks', 'stats', 'domains', 'files', 'webhooks', 'apiKeys'];

/** What a person may grant to a key of a type: what they may do themselves; bot keys never manage keys. */
function grantable(own: KeyPermissions, type: ApiKey['type'], resource: Resource): readonly Action[] {
  if (resource === 'apiKeys' && type === 'bot') return [];
  // Statistics are only read.
  return (own[resource] ?? []).filter((action) => resource !== 'stats' || action === 'read');
}

/** These actions on every resource, as far as they can be granted. */
function only(own: KeyPermissions, type: ApiKey['type'], wanted: readonly Action[]): KeyPermissions {
  return Object.fromEntries(
    resources.flatMap((resource) => {
      const granted = grantable(own, type, resource).filter((action) => wanted.includes(action));
      return granted.length === 0 || resource === 'apiKeys' ? [] : [[resource, granted]];
    }),
  );
}

interface PermissionsProps {
  own: KeyPermissions;
  type: ApiKey['type'];
  chosen: KeyPermissions;
  onChange: (permissions: KeyPermissions) => void;
}

function Permissions({ own, type, chosen, onChange }: PermissionsProps) {
  const words = useKeyWords();
  return resources
    .map((resource) => ({ resource, granted: grantable(own, type, resource) }))
    .filter(({ granted }) => granted.length > 0)
    .map(({ resource, granted }) => (
      <div key={resource} className={css.permission}>
        <span>{words.resources[resource]}</span>
        <span className={css.ticks}>
          {granted.map((action) => (
            <Checkbox
              key={action}
              aria-label={words.permission(words.resources[resource], words.actions[action])}
              isSelected={chosen[resource]?.includes(action) ?? false}
              onChange={(isSelected) => {
                const kept = (chosen[resource] ?? []).filter((one) => one !== action);
                onChange({ ...chosen, [resource]: isSelected ? [...kept, action] : kept });
              }}
            >
              {words.actions[action]}
            </Checkbox>
          ))}
        </span>
      </div>
    ));
}
