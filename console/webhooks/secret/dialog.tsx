import { Suspense } from 'react';
import { Button } from '#console/ui/button.tsx';
import { Code } from '#console/ui/code.tsx';
import { Dialog } from '#console/ui/form/dialog.tsx';
import { Notice, Skeleton } from '#console/ui/page/states.tsx';
import { late } from '#console/ui/page/late.tsx';
import { useSecretWords } from './words.ts';

const Programs = late(async () => (await import('./programs.tsx')).default);

/** A new secret, shown once, and programs that verify with it. @param note stands below the secret. */
export function SecretDialog({ secret, note, onClose }: { secret: string; note?: string; onClose: () => void }) {
  const words = useSecretWords();
  return (
    <Dialog
      title={words.title}
      isWide
      // Escape must not take away what no later page shows.
      isDismissable={false}
      onClose={onClose}
      actions={
        <Button variant="primary" onPress={onClose}>
          {words.done}
        </Button>
      }
    >
      <Notice tone="warn" icon="key">
        {words.once}
      </Notice>
      <Code text={secret} label={words.secret} name={words.copiedSecret} />
      {note !== undefined && <p>{note}</p>}
      <div>
        <h3>{words.verify}</h3>
        <p className="quiet">{words.verifyText}</p>
      </div>
      <Suspense fallback={<Skeleton height={20} />}>
        <Programs />
      </Suspense>
    </Dialog>
  );
}
