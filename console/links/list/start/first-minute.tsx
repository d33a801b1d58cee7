import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, Suspense, useState } from 'react';
import { apiBase } from '#console/api/client.ts';
import { issuesByPath } from '#console/api/error.ts';
import { createLink, linkQuery, refreshAfterOwnChange } from '#console/api/links.ts';
import type { ChangedLink } from '#console/api/types.ts';
import { useFormat } from '#console/i18n/format.ts';
import { destinationOf } from '#console/links/editor/destination.ts';
import { shownShortUrl } from '#console/links/short-url.ts';
import { useLinkWords } from '#console/links/words.ts';
import { Button, buttonClass } from '#console/ui/button.tsx';
import { CopyButton, copyText } from '#console/ui/copy.tsx';
import { TextField } from '#console/ui/form/field.tsx';
import { Icon } from '#console/ui/icon.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { useNow } from '#console/ui/browser/now.ts';
import { Empty } from '#console/ui/page/states.tsx';
import { late } from '#console/ui/page/late.tsx';
import css from '#console/links/list/list.module.css';

const NextSteps = late(async () => (await import('./next-steps.tsx')).default, 'nothing');

/** The page of an organization without links: one field. The link that it makes is shown with its QR code and its first click. */
export function FirstMinute({ onDone }: { onDone: () => void }) {
  const words = useLinkWords();
  const [address, setAddress] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isPending, setPending] = useState(false);
  const [made, setMade] = useState<ChangedLink>();
  const [intent, setIntent] = useState(() => crypto.randomUUID());

  async function make(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isPending) return;
    setPending(true);
    setProblem(undefined);
    try {
      const link = await createLink({ destination: destinationOf(address) }, intent);
      const isCopied = await copyText(link.originUrl);
      sayDone(isCopied ? words.copiedAndMade(link.originUrl) : words.made1(link.originUrl));
      setMade(link);
    } catch (error) {
      const issues = issuesByPath(error);
      const [first] = Object.values(issues);
      if (first === undefined) sayFailed(words.notMade, error);
      setProblem(first);
      setIntent(crypto.randomUUID());
    } finally {
      setPending(false);
    }
  }

  if (made !== undefined) return <FirstLink made={made} onDone={onDone} />;
  return (
    <Empty
      icon="link"
      title={words.emptyTitle}
      command={`curl ${apiBase()}/short-link -H 'x-api-key: …' \\\n  --json '{"destination":{"type":"link","value":"https://example.com/spring"}}'`}
      action={
        <form className={css.first} onSubmit={(event) => void make(event)}>
          <TextField
            label={words.firstField}
            value={address}
            onChange={setAddress}
            error={problem}
            placeholder="https://example.com/spring"
            autoFocus
          />
          <Button type="submit" variant="primary" isPending={isPending} isDisabled={address.trim() === ''}>
            {words.firstMake}
          </Button>
        </form>
      }
    >
      {words.emptyText}
    </Empty>
  );
}

const firstClickEveryMs = 1_000;

/** The first link: its code, the way to open it, and its clicks as they come. */
function FirstLink({ made, onDone }: { made: ChangedLink; onDone: () => void }) {
  const words = useLinkWords();
  const format = useFormat();
  const now = useNow();
  const queries = useQueryClient();
  const { data } = useQuery({ ...linkQuery(made.id), refetchInterval: firstClickEveryMs });
  const clicks = data?.data.currentClicks ?? 0;
  const lastClickedAt = data?.data.lastClickedAt ?? null;
  return (
    <>
      <Empty icon="check" title={shownShortUrl(made.originUrl)}>
        <div className={css.made}>
          <img
            src={`${apiBase()}/short-link/${made.id}/qr-code?format=svg&size=200`}
            alt={`${words.qr}: ${made.originUrl}`}
            width={200}
            height={200}
          />
          <p>
            <CopyButton text={made.originUrl} label={words.copy} size="normal" />{' '}
            <a className={buttonClass('primary')} href={made.originUrl} target="_blank" rel="noreferrer">
              <Icon name="external" />
              {words.open}
            </a>
          </p>
          <p role="status" className="tabular">
            <strong>{words.clicks(clicks)}</strong>
            {lastClickedAt !== null && ` · ${words.lastClick} ${format.ago(lastClickedAt, now)}`}
          </p>
          <Button onPress={() => void refreshAfterOwnChange(queries).then(onDone)}>{words.title}</Button>
        </div>
      </Empty>
      <Suspense>
        <NextSteps />
      </Suspense>
    </>
  );
}
