import { askForConfirmingPasskey, confirmIdentity } from '#console/api/people/second-factors.ts';
import { settle, useConnection } from '#console/app/connection.ts';
import { Button } from '#console/ui/button.tsx';
import { Dialog } from '#console/ui/form/dialog.tsx';
import { ProofForm } from './proof-form.tsx';
import { useFactorWords } from './words.ts';

/** The question over a page before a change of weight: the calls that asked for it go on afterwards. */
export function ConfirmDialog() {
  const words = useFactorWords();
  const { confirmation } = useConnection();
  const methods = confirmation?.methods ?? [];
  const cancel = (): void => settle('confirmation', new Error(words.notConfirmed));
  return (
    <Dialog
      title={words.confirmTitle}
      onClose={cancel}
      isDismissable={false}
      actions={<Button onPress={cancel}>{words.cancel}</Button>}
    >
      {methods.length === 0 ? (
        <p>{words.signInAnew}</p>
      ) : (
        <>
          <p>{words.confirmText}</p>
          <ProofForm
            methods={methods}
            submitLabel={words.confirm}
            askForPasskey={askForConfirmingPasskey}
            onProof={async (proof) => {
              await confirmIdentity(proof);
              settle('confirmation');
            }}
          />
        </>
      )}
    </Dialog>
  );
}
