import { askForPasskey, type ProofMethod, signInSecondStep } from '#console/api/people/second-factors.ts';
import type { Session } from '#console/api/types.ts';
import { Button } from '#console/ui/button.tsx';
import { ProofForm } from './proof-form.tsx';
import { useFactorWords } from './words.ts';
import layout from '#console/ui/page/layout.module.css';

interface SecondStepProps {
  token: string;
  methods: readonly ProofMethod[];
  onSignedIn: (session: Session) => void;
  /** Leads back to the password; undefined: there is no way back. */
  onBack?: (() => void) | undefined;
}

/** The second step of a sign-in: the password was right. */
export function SecondStep({ token, methods, onSignedIn, onBack }: SecondStepProps) {
  const words = useFactorWords();
  return (
    <div className={layout.stack}>
      <ProofForm
        methods={methods}
        submitLabel={words.goOn}
        askForPasskey={() => askForPasskey(token)}
        onProof={async (proof) => onSignedIn(await signInSecondStep({ ...proof, token }))}
      />
      <p className="quiet">{words.lost}</p>
      {onBack !== undefined && (
        <Button variant="plain" onPress={onBack}>
          {words.back}
        </Button>
      )}
    </div>
  );
}
