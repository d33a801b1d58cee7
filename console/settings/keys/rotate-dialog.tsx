import { useState } from 'react';
import { type ApiKey, type CreatedKey, rotateKey } from '#console/api/people/keys.ts';
import { Select } from '#console/ui/form/field.tsx';
import { useLastUse } from './last-use.ts';
import { useKeyWords } from './words.ts';
import { FormDialog } from '#console/ui/form/form-dialog.tsx';
import { useChange } from '#console/ui/form/use-change.ts';

const overlaps = ['0', '1', '24', '72', '168'] as const;

interface RotateDialogProps {
  one: ApiKey;
  /** Called with the key and its new value. */
  onRotated: (rotated: CreatedKey) => void;
  onClose: () => void;
}

/** Gives a key another value, and the present one some more hours. */
export function RotateDialog({ one, onRotated, onClose }: RotateDialogProps) {
  const words = useKeyWords();
  const lastUse = useLastUse();
  const [hours, setHours] = useState<(typeof overlaps)[number]>('24');
  const rotate = useChange({
    send: (_input: void, intent) => rotateKey(one.id, Number(hours), `${intent} ${hours}`),
    failed: words.notRotated,
    refresh: [['keys']],
    onDone: onRotated,
  });
  return (
    <FormDialog
      title={words.rotateTitle(one.name)}
      onClose={onClose}
      submitLabel={words.rotateNow}
      isPending={rotate.isPending}
      onSubmit={rotate.send}
    >
      <p>{words.rotateText}</p>
      <p className="quiet">{words.lastUse(lastUse(one))}</p>
      <Select
        label={words.overlap}
        hint={hours === '0' ? words.overlapNone : words.overlapHint}
        value={hours}
        onChange={setHours}
        choices={overlaps.map((id) => ({ id, label: words.overlaps[id] }))}
      />
    </FormDialog>
  );
}
