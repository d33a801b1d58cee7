import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApiKey, type CreatedKey, rotateKey } from '#console/api/keys.ts';
import { Button } from '#console/ui/button.tsx';
import { Dialog } from '#console/ui/dialog.tsx';
import { Select } from '#console/ui/field.tsx';
import { sayFailed } from '#console/ui/messages.tsx';
import { useLastUse } from './last-use.ts';
import { useKeyWords } from './words.ts';
import settings from '#console/settings/settings.module.css';

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
  const queries = useQueryClient();
  const [hours, setHours] = useState<(typeof overlaps)[number]>('24');
  const [intent, setIntent] = useState(() => crypto.randomUUID());
  const rotate = useMutation({
    mutationFn: () => rotateKey(one.id, Number(hours), intent),
    onSuccess: async (rotated) => {
      await queries.invalidateQueries({ queryKey: ['keys'] });
      onRotated(rotated);
    },
    onError: (error) => sayFailed(words.notRotated, error),
  });
  return (
    <Dialog
      title={words.rotateTitle(one.name)}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{words.cancel}</Button>
          <Button variant="primary" isDisabled={rotate.isPending} onPress={() => rotate.mutate()}>
            {words.rotateNow}
          </Button>
        </>
      }
    >
      <div className={settings.stack}>
        <p>{words.rotateText}</p>
        <p className="quiet">{words.lastUse(lastUse(one))}</p>
        <Select
          label={words.overlap}
          hint={hours === '0' ? words.overlapNone : words.overlapHint}
          value={hours}
          onChange={(next) => {
            setHours(next);
            setIntent(crypto.randomUUID());
          }}
          choices={overlaps.map((id) => ({ id, label: words.overlaps[id] }))}
        />
      </div>
    </Dialog>
  );
}
