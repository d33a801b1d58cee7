import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { confirmTotp, type TotpSecret } from '#console/api/people/second-factors.ts';
import { Code } from '#console/ui/text/code.tsx';
import { TextField } from '#console/ui/form/field.tsx';
import { useSecurityWords } from './words.ts';
import css from './security.module.css';
import { FormDialog } from '#console/ui/form/form-dialog.tsx';
import { useChange } from '#console/ui/form/use-change.ts';

interface TotpDialogProps {
  secret: TotpSecret;
  onClose: () => void;
  /** Hears of the recovery codes; null: there are some already. */
  onAdded: (recoveryCodes: readonly string[] | null) => void;
}

/** Shows the secret to an authenticator app, and asks for its first code. */
export function TotpDialog({ secret, onClose, onAdded }: TotpDialogProps) {
  const words = useSecurityWords();
  const [code, setCode] = useState('');
  const { data: svg } = useQuery({
    queryKey: ['totp-picture', secret.uri],
    queryFn: () => draw(secret.uri),
    staleTime: Infinity,
    gcTime: 0,
  });
  const confirm = useChange({
    send: () => confirmTotp(code.replaceAll(/\s/g, '')),
    failed: words.failed,
    fields: ['code'],
    onDone: ({ recoveryCodes }) => onAdded(recoveryCodes),
  });
  return (
    <FormDialog
      title={words.addTitle}
      isDismissable={false}
      onClose={onClose}
      submitLabel={words.add}
      isReady={code.trim() !== ''}
      isPending={confirm.isPending}
      onSubmit={confirm.send}
    >
      <p>{words.scan}</p>
      <div className={css.picture}>
        {svg !== undefined && (
          <img src={`data:image/svg+xml,${encodeURIComponent(svg)}`} alt={words.qrLabel} width={220} height={220} />
        )}
      </div>
      <Code text={secret.secret} label={words.secret} name={words.secret} />
      <TextField
        label={words.code}
        value={code}
        onChange={setCode}
        inputMode="numeric"
        autoComplete="one-time-code"
        error={confirm.issues.code}
        autoFocus
        isRequired
        isMono
      />
    </FormDialog>
  );
}

/** Draws the code in the browser: the secret goes nowhere. */
async function draw(data: string): Promise<string> {
  const { drawQrSvg } = await import('#core/links/qr/draw.ts');
  const none = () => Promise.reject(new Error('this code has no logo'));
  return drawQrSvg({ data, options: {}, logo: undefined, size: 440 }, { measure: none, toBase64: none });
}
