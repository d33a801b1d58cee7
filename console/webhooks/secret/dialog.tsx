import { Suspense } from 'react';
import { Code } from '#console/ui/text/code.tsx';
import { OnceDialog } from '#console/ui/form/once-dialog.tsx';
import { Skeleton } from '#console/ui/page/states.tsx';
import { late } from '#console/ui/page/late.tsx';
import { useSecretWords } from './words.ts';

const Programs = late(async () => (await import('./programs.tsx')).default);

/** A new secret, shown once, and programs that verify with it. @param note stands below the secret. */
export function SecretDialog({ secret, note, onClose }: { secret: string; note?: string; onClose: () => void }) {
  const words = useSecretWords();
  return (
    <OnceDialog title={words.title} once={words.once} done={words.done} isWide onClose={onClose}>
      <Code text={secret} label={words.secret} name={words.copiedSecret} />
      {note !== undefined && <p>{note}</p>}
      <div>
        <h3>{words.verify}</h3>
        <p className="quiet">{words.verifyText}</p>
      </div>
      <Suspense fallback={<Skeleton height={20} />}>
        <Programs />
      </Suspense>
    </OnceDialog>
  );
}
