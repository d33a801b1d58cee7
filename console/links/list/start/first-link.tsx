import { useQuery, useQueryClient } from '@tanstack/react-query';
import { apiBase } from '#console/api/client.ts';
import { linkQuery, refreshAfterOwnChange } from '#console/api/links/links.ts';
import type { ChangedLink } from '#console/api/types.ts';
import { useFormat } from '#console/i18n/format.ts';
import { shownShortUrl } from '#console/links/short-url.ts';
import { useLinkWords } from '#console/links/words.ts';
import { Button, buttonClass } from '#console/ui/button.tsx';
import { CopyButton } from '#console/ui/text/copy.tsx';
import { Icon } from '#console/ui/icon.tsx';
import { useNow } from '#console/ui/browser/now.ts';
import { Empty } from '#console/ui/page/states.tsx';
import { late } from '#console/ui/page/late.tsx';
import css from '#console/links/list/list.module.css';

const NextSteps = late(async () => (await import('./next-steps.tsx')).default, 'nothing');

const firstClickEveryMs = 1_000;

/** The first link: its code, the way to open it, and its clicks as they come. */
export default function FirstLink({ made, onDone }: { made: ChangedLink; onDone: () => void }) {
  const words = useLinkWords();
  const format = useFormat();
  const now = useNow();
  const queries = useQueryClient();
  const { data } = useQuery({ ...linkQuery(made.id), refetchInterval: firstClickEveryMs });
  const clicks = data?.data.currentClicks ?? 0;
  const lastClickedAt = data?.data.lastClickedAt ?? null;
  return (
    <>
      <Empty icon="check" isPage title={shownShortUrl(made.originUrl)}>
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
          <Button onPress={() => void refreshAfterOwnChange(queries).then(onDone)}>{words.links}</Button>
        </div>
      </Empty>
      <NextSteps />
    </>
  );
}
