import { useState } from 'react';
import { ApiError } from '#console/api/error.ts';
import type { PasskeyRequest, ProofMethod, TypedProof } from '#console/api/people/second-factors.ts';
import { Button } from '#console/ui/button.tsx';
import { TextField } from '#console/ui/form/field.tsx';
import { Form } from '#console/ui/form/form.tsx';
import { Alert } from '#console/ui/page/states.tsx';
import { useCardForm } from './use-card-form.ts';
import { useFactorWords } from './words.ts';
import layout from '#console/ui/page/layout.module.css';

interface ProofFormProps {
  /** By what the person may show that it is them, the first choice first. */
  methods: readonly ProofMethod[];
  submitLabel: string;
  /** Sends a proof. @throws ApiError where it is wrong. */
  onProof: (proof: TypedProof | { token: string; passkey: object }) => Promise<void>;
  askForPasskey: () => Promise<PasskeyRequest>;
}

/** Asks for one proof; the other ways are a button away. */
export function ProofForm({ methods, submitLabel, onProof, askForPasskey }: ProofFormProps) {
  const words = useFactorWords();
  const [method, setMethod] = useState<ProofMethod>(methods[0] ?? 'password');
  const [text, setText] = useState('');
  const form = useCardForm((prove: () => Promise<void>) => prove());

  function textOf(error: unknown): string {
    // The browser's own errors: cancelled, or there is no passkey here.
    if (!(error instanceof ApiError)) return words.passkeyFailed;
    const hasEnded = error.issues.some(({ path }) => path === 'token');
    return !hasEnded && (error.status === 401 || error.status === 400) ? words.wrong : error.message;
  }

  function submit(): void {
    if (method === 'passkey') {
      form.send(async () => {
        const request = await askForPasskey();
        const { readPasskey } = await import('./passkey.ts');
        await onProof(await readPasskey(request));
      });
    } else form.send(() => onProof(proofOf(method, text)));
  }

  const others = methods.filter((other) => other !== method);
  return (
    <Form
      className={layout.stack}
      isReady={!form.isSent && (method === 'passkey' || text.trim() !== '')}
      onSubmit={submit}
    >
      <Alert text={form.error === null ? undefined : textOf(form.error)} />
      {method === 'passkey' ? (
        <p>{words.passkeyText}</p>
      ) : (
        <TextField
          // Each way begins in its own field.
          key={method}
          {...fieldOf(method, words)}
          name={method}
          value={text}
          onChange={setText}
          autoFocus
          isRequired
        />
      )}
      <Button type="submit" variant="primary" isDisabled={form.isSent}>
        {method === 'passkey' ? words.usePasskey : submitLabel}
      </Button>
      {others.length > 0 && (
        <div className={layout.actions} role="group" aria-label={words.others}>
          {others.map((other) => (
            <Button
              key={other}
              size="small"
              variant="plain"
              onPress={() => {
                setMethod(other);
                setText('');
                form.reset();
              }}
            >
              {words.instead[other]}
            </Button>
          ))}
        </div>
      )}
    </Form>
  );
}

function proofOf(method: Exclude<ProofMethod, 'passkey'>, text: string): TypedProof {
  if (method === 'password') return { password: text };
  return method === 'totp' ? { code: text.replaceAll(/\s/g, '') } : { recoveryCode: text.trim() };
}

function fieldOf(method: Exclude<ProofMethod, 'passkey'>, words: ReturnType<typeof useFactorWords>) {
  switch (method) {
    case 'password':
      return { label: words.password, type: 'password', autoComplete: 'current-password' } as const;
    case 'totp':
      return {
        label: words.code,
        hint: words.codeHint,
        autoComplete: 'one-time-code',
        inputMode: 'numeric',
        isMono: true,
      } as const;
    case 'recoveryCode':
      return { label: words.recoveryCode, hint: words.recoveryHint, autoComplete: 'off', isMono: true } as const;
  }
}
