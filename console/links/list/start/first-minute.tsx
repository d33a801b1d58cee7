import { useState } from 'react';
import { apiBase } from '#console/api/client.ts';
import { destinationOf } from '#console/links/editor/destination/destination.ts';
import { useMakeLink } from '#console/links/use-make-link.ts';
import { useLinkWords } from '#console/links/words.ts';
import { Button } from '#console/ui/button.tsx';
import { TextField } from '#console/ui/form/field.tsx';
import { Form } from '#console/ui/form/form.tsx';
import { Empty, Skeleton } from '#console/ui/page/states.tsx';
import { late } from '#console/ui/page/late.tsx';
import css from '#console/links/list/list.module.css';

const FirstLink = late(async () => (await import('./first-link.tsx')).default, 'box', <Skeleton rows={3} height={8} />);

/**
 * The page of an organization without links: one field. The link that it makes is shown with its QR code and its first click.
 * @param onFirst hears whether the page makes or shows a link, so that it stays although the list has one.
 */
export function FirstMinute({ onFirst }: { onFirst: (isFirst: boolean) => void }) {
  const words = useLinkWords();
  const [address, setAddress] = useState('');
  const make = useMakeLink({
    body: () => ({ destination: destinationOf(address) }),
    onIssues: () => onFirst(false),
  });

  if (make.answer !== undefined) return <FirstLink made={make.answer} onDone={() => onFirst(false)} />;
  return (
    <Empty
      icon="link"
      isPage
      title={words.emptyTitle}
      command={`curl ${apiBase()}/short-link -H 'x-api-key: …' \\\n  --json '{"destination":{"type":"link","value":"https://example.com/spring"}}'`}
      action={
        <Form
          className={css.first}
          isReady={!make.isPending}
          onSubmit={() => {
            void FirstLink.preload();
            onFirst(true);
            make.send();
          }}
        >
          <TextField
            label={words.firstField}
            value={address}
            onChange={setAddress}
            error={Object.values(make.issues)[0]}
            placeholder="https://example.com/spring"
            autoFocus
          />
          <Button type="submit" variant="primary" isPending={make.isPending} isDisabled={address.trim() === ''}>
            {words.firstMake}
          </Button>
        </Form>
      }
    >
      {words.emptyText}
    </Empty>
  );
}
