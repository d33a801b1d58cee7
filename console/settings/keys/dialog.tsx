import { useState } from 'react';
import { type ApiKey, type CreatedKey, createKey, type KeyPermissions, updateKey } from '#console/api/people/keys.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { Button } from '#console/ui/button.tsx';
import { TextField } from '#console/ui/form/field.tsx';
import { Select } from '#console/ui/form/list-field.tsx';
import { sayDone } from '#console/ui/messages.tsx';
import { Limits, toLimits, toLimitsDraft } from './limits.tsx';
import { only, Permissions } from './permissions.tsx';
import { useKeyWords } from './words.ts';
import choices from '#console/ui/form/choices.module.css';
import layout from '#console/ui/page/layout.module.css';
import { FormDialog } from '#console/ui/form/form-dialog.tsx';
import { useChange } from '#console/ui/form/use-change.ts';

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
  const { permissions: own } = useSession();
  const [type, setType] = useState<ApiKey['type']>(changed?.type ?? 'integration');
  const [name, setName] = useState(changed?.name ?? '');
  const [permissions, setPermissions] = useState<KeyPermissions>(changed?.permissions ?? only(own, type, ['read']));
  const [limits, setLimits] = useState(() => toLimitsDraft(changed));
  const isManager = (permissions.apiKeys ?? []).length > 0;
  const save = useChange({
    send: async (_input: void, intent): Promise<CreatedKey | undefined> => {
      const reach = isManager ? { folderIds: null, domainIds: null } : {};
      const fields = { name: name.trim(), permissions, ...toLimits(limits, changed), ...reach };
      if (changed === undefined) return createKey({ type, ...fields }, intent);
      await updateKey(changed.id, fields);
      return undefined;
    },
    failed: words.notSaved,
    fields: ['name', 'expiresAt', 'allowedAddresses'],
    refresh: [['keys']],
    onDone: (made) => {
      if (made !== undefined) return onMade(made);
      sayDone(words.saved);
    },
    leave: onClose,
  });
  const choose = (next: ApiKey['type']): void => {
    setType(next);
    // Only the key of a person manages keys and people.
    if (next !== 'user') setPermissions(({ apiKeys: _none, ...rest }) => rest);
  };
  return (
    <FormDialog
      title={changed === undefined ? words.makeTitle : words.editTitle(changed.name)}
      isWide
      onClose={onClose}
      submitLabel={changed === undefined ? words.create : words.save}
      isReady={name.trim() !== ''}
      isPending={save.isPending}
      onSubmit={save.send}
    >
      <TextField
        label={words.name}
        hint={words.nameHint}
        value={name}
        onChange={setName}
        autoComplete="off"
        autoFocus
        error={save.issues.name}
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
      <fieldset className={choices.set}>
        <legend>{words.permissions}</legend>
        <div className={layout.actions}>
          <Button size="small" onPress={() => setPermissions(only(own, type, ['create', 'read', 'update', 'delete']))}>
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
      <Limits draft={limits} onChange={setLimits} issues={save.issues} isManager={isManager} />
    </FormDialog>
  );
}
