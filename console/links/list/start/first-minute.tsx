import { type FormEvent, Suspense, useState } from 'react';
import { apiBase } from '#console/api/client.ts';
import { issuesByPath } from '#console/api/error.ts';
import { createLink } from '#console/api/links/links.ts';
import type { ChangedLink } from '#console/api/types.ts';
import { destinationOf } from '#console/links/editor/destination/destination.ts';
import { useLinkWords } from '#console/links/words.ts';
import { Button } from '#console/ui/button.tsx';
import { copyText } from '#console/ui/text/copy.tsx';
import { TextField } from '#console/ui/form/field.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { Empty, Skeleton } from '#console/ui/page/states.tsx';
import { late } from '#console/ui/page/late.tsx';
import css from '#console/links/list/list.module.css';

const FirstLink = late(async () => (await import('./first-link.tsx')).default);

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
    void FirstLink.preload();
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

  if (made !== undefined)
    return (
      <Suspense fallback={<Skeleton rows={3} height={8} />}>
        <FirstLink made={made} onDone={onDone} />
      </Suspense>
    );
  return (
    <Empty
      icon="link"
      isPage
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
