import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { issuesByPath } from '#console/api/error.ts';
import { confirmTotp, type TotpSecret } from '#console/api/second-factors.ts';
import { Button } from '#console/ui/button.tsx';
import { Code } from '#console/ui/code.tsx';
import { Dialog } from '#console/ui/dialog.tsx';
import { TextField } from '#console/ui/field.tsx';
import { sayFailed } from '#console/ui/messages.tsx';
import settings from '#console/settings/settings.module.css';
import { useSecurityWords } from './words.ts';
import css from './security.module.css';

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
  const confirm = useMutation({
    mutationFn: () => confirmTotp(code.replaceAll(/\s/g, '')),
    onSuccess: ({ recoveryCodes }) => onAdded(recoveryCodes),
    onError: (failure) => {
      if (issuesByPath(failure).code === undefined) sayFailed(words.failed, failure);
    },
  });
  return (
    <Dialog title={words.addTitle} isOpen isDismissable={false} onClose={onClose}>
      <p>{words.scan}</p>
      <div className={css.picture}>
        {svg !== undefined && (
          <img src={`data:image/svg+xml,${encodeURIComponent(svg)}`} alt={words.qrLabel} width={220} height={220} />
        )}
      </div>
      <Code text={secret.secret} label={words.secret} name={words.secret} />
      <form
        className={settings.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (code.trim() !== '') confirm.mutate();
        }}
      >
        <TextField
          label={words.code}
          value={code}
          onChange={setCode}
          inputMode="numeric"
          autoComplete="one-time-code"
          error={confirm.error === null ? undefined : issuesByPath(confirm.error).code}
          autoFocus
          isRequired
          isMono
        />
        <div className={css.buttons}>
          <Button onPress={onClose}>{words.cancel}</Button>
          <Button type="submit" variant="primary" isDisabled={confirm.isPending || code.trim() === ''}>
            {words.add}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Draws the code in the browser: the secret goes nowhere. */
async function draw(data: string): Promise<string> {
  const { drawQrSvg } = await import('#core/links/qr/draw.ts');
  const none = () => Promise.reject(new Error('this code has no logo'));
  return drawQrSvg({ data, options: {}, logo: undefined, size: 440 }, { measure: none, toBase64: none });
}
