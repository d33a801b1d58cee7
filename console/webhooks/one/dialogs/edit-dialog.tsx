import { useState } from 'react';
import { updateWebhook, type Webhook } from '#console/api/webhooks.ts';
import { numberOf, useNumberText } from '#console/i18n/number-text.ts';
import { Checkbox, TextArea, TextField } from '#console/ui/form/field.tsx';
import { type FieldValues, WebhookFields } from '#console/webhooks/fields.tsx';
import { useDialogWords } from './dialog-words.ts';
import { readHeaders } from './read-headers.ts';
import { emptyScope, ScopeFields, toScope } from './scope-fields.tsx';
import { FormDialog } from '#console/ui/form/form-dialog.tsx';
import { useChange } from '#console/ui/form/use-change.ts';

/** Changes the fields of a webhook; headers are replaced as a whole, since their values are never shown. */
export function EditDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const words = useDialogWords();
  const { id, url, name, events, headerNames, maxPerSecond } = webhook;
  const [values, setValues] = useState<FieldValues>({ url, name: name ?? '', events });
  const [scope, setScope] = useState(webhook.scope ?? emptyScope);
  const [pace, setPace] = useState(maxPerSecond === null ? '' : String(maxPerSecond));
  const paceText = useNumberText(pace, setPace);
  const [lines, setLines] = useState('');
  const [isRemoving, setRemoving] = useState(false);
  const [wrongLine, setWrongLine] = useState<number>();
  const save = useChange({
    send: (headers: Record<string, string> | null | undefined) => {
      const trimmed = values.name.trim();
      const all = {
        url: values.url.trim(),
        name: trimmed === '' ? null : trimmed,
        events: values.events,
        scope: toScope(scope),
        maxPerSecond: pace.trim() === '' ? null : (numberOf(pace) ?? pace),
      };
      // Unchanged fields are not sent, so that changes that another person has saved meanwhile stay.
      const changed = Object.entries(all).filter(
        ([field, value]) => JSON.stringify(value) !== JSON.stringify(webhook[field as keyof typeof all]),
      );
      return updateWebhook(id, { ...Object.fromEntries(changed), ...(headers === undefined ? {} : { headers }) });
    },
    done: words.saved,
    failed: words.notChanged,
    fields: ['url', 'name', 'events', 'maxPerSecond', 'headers'],
    refresh: [['webhooks']],
    leave: onClose,
  });
  const { issues } = save;
  const [headersIssue] = Object.entries(issues)
    .filter(([path]) => path.startsWith('headers'))
    .map(([path, message]) => `${path.replace(/^headers\.?/, '')} ${message}`.trim());

  const submit = (): void => {
    const read = readHeaders(lines);
    setWrongLine(read.wrongLine);
    if (read.wrongLine === undefined) save.send(isRemoving ? null : read.headers);
  };
  return (
    <FormDialog
      title={words.edit}
      onClose={onClose}
      submitLabel={words.save}
      isReady={values.url.trim() !== '' && values.events.length > 0}
      isPending={save.isPending}
      onSubmit={submit}
    >
      <WebhookFields
        values={values}
        issues={issues}
        onChange={(change) => setValues((before) => ({ ...before, ...change }))}
      />
      <ScopeFields scope={scope} onChange={setScope} />
      <TextField label={words.pace} {...paceText} hint={words.paceHint} error={issues.maxPerSecond} />
      {headerNames.length > 0 && (
        <div>
          <p className="quiet">{words.headersNow(headerNames.join(', '))}</p>
          <Checkbox isSelected={isRemoving} onChange={setRemoving}>
            {words.removeHeaders}
          </Checkbox>
        </div>
      )}
      <TextArea
        label={words.headers}
        value={lines}
        onChange={setLines}
        hint={words.headersHint}
        error={wrongLine === undefined ? headersIssue : words.wrongLine(wrongLine)}
        placeholder={words.headersPlaceholder}
        isDisabled={isRemoving}
      />
    </FormDialog>
  );
}
