import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, issuesByPath } from '#console/api/error.ts';
import { type ApiKey, createKey, type CreatedKey, type KeyPermissions, updateKey } from '#console/api/keys.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { Button } from '#console/ui/button.tsx';
import { Dialog } from '#console/ui/dialog.tsx';
import { Select, TextField } from '#console/ui/field.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { Limits, toLimits, toLimitsDraft } from './limits.tsx';
import { only, Permissions } from './permissions.tsx';
import { useKeyWords } from './words.ts';
import settings from '#console/settings/settings.module.css';

interface KeyDialogProps {
  /** The key to be changed; undefined: a new one is made. */
  changed: ApiKey | undefined;
  /** Called with a new key. */
  onMade: (made: CreatedKey) => void;
  onClose: () => void;
}

/** Name, permissions and limits of a key. */
export function KeyDialog({ changed, onMade, onClose }: KeyDialogProps) {
  const words = useKeyWords();
  const queries = useQueryClient();
  const { permissions: own } = useSession();
  const [type, setType] = useState<ApiKey['type']>(changed?.type ?? 'integration');
  const [name, setName] = useState(changed?.name ?? '');
  const [permissions, setPermissions] = useState<KeyPermissions>(changed?.permissions ?? only(own, type, ['read']));
  const [limits, setLimits] = useState(() => toLimitsDraft(changed));
  const [intent, setIntent] = useState(() => crypto.randomUUID());
  const isManager = (permissions.apiKeys ?? []).length > 0;
  const save = useMutation({
    mutationFn: async (): Promise<CreatedKey | undefined> => {
      const reach = isManager ? { folderIds: null, domainIds: null } : {};
      const fields = { name: name.trim(), permissions, ...toLimits(limits, changed), ...reach };
      if (changed === undefined) return createKey({ type, ...fields }, intent);
      await updateKey(changed.id, fields);
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
      // What is sent next differs from what was refused; a call without an answer is made again.
      if (error instanceof ApiError && !error.isPassing) setIntent(crypto.randomUUID());
      const paths = Object.keys(issuesByPath(error));
      if (!paths.some((path) => /^(?:name|expiresAt|allowedAddresses)/.test(path))) sayFailed(words.notSaved, error);
    },
  });
  const issues = save.error === null ? {} : issuesByPath(save.error);
  const choose = (next: ApiKey['type']): void => {
    setType(next);
    // Only the key of a person manages keys and people.
    if (next !== 'user') setPermissions(({ apiKeys: _none, ...rest }) => rest);
  };
  return (
    <Dialog
      title={changed === undefined ? words.makeTitle : words.editTitle(changed.name)}
      isOpen
      isWide
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
        className={settings.stack}
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
          error={issues.name}
        />
        {changed === undefined && (
          <Select
            label={words.type}
            hint={words.kinds[type]}
            value={type}
            onChange={choose}
            choices={(['integration', 'bot', 'user'] as const).map((id) => ({ id, label: words.types[id] }))}
          />
        )}
        <fieldset className={settings.permissions}>
          <legend>{words.permissions}</legend>
          <div className={settings.presets}>
            <Button
              size="small"
              onPress={() => setPermissions(only(own, type, ['create', 'read', 'update', 'delete']))}
            >
              {words.everything}
            </Button>
            <Button size="small" onPress={() => setPermissions(only(own, type, ['read']))}>
              {words.readOnly}
            </Button>
            <Button size="small" onPress={() => setPermissions({ shortLinks: ['create'] })}>
              {words.createOnly}
            </Button>
          </div>
          <Permissions own={own} type={type} chosen={permissions} onChange={setPermissions} />
        </fieldset>
        <h3>{words.limits}</h3>
        <Limits draft={limits} onChange={setLimits} issues={issues} isManager={isManager} />
      </form>
    </Dialog>
  );
}
