import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { apiBase } from '#console/api/client.ts';
import { linkQuery, updateLink } from '#console/api/links.ts';
import type { ShortLink } from '#console/api/types.ts';
import { AskOperator } from '#console/app/ask-operator.tsx';
import { useKeys } from '#console/app/keys.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { useTitle } from '#console/app/title.ts';
import { useFormat } from '#console/i18n/format.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { DeleteDialog } from '#console/links/list/delete-dialog.tsx';
import { shownShortUrl } from '#console/links/short-url.ts';
import { stateOf, stateTones } from '#console/links/state.ts';
import { useLinkWords } from '#console/links/words.ts';
import { NowNext } from '#console/processes/story.tsx';
import { Button, buttonClass, IconButton } from '#console/ui/button.tsx';
import { Code } from '#console/ui/code.tsx';
import { copyText, CopyButton } from '#console/ui/copy.tsx';
import { Icon } from '#console/ui/icon.tsx';
import { Menu } from '#console/ui/menu.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { useNow } from '#console/ui/now.ts';
import { Chip, Failed, Notice, Skeleton } from '#console/ui/states.tsx';
import { History } from './history.tsx';
import { Meet } from './meet.tsx';
import { describeLink } from './sentence.ts';
import { Week } from './week.tsx';
import { useLinkPageWords } from './words.ts';
import css from './link.module.css';

const countsEveryMs = 5_000;

/** /links/<id> */
export function LinkPage() {
  const { id } = useParams({ from: '/frame/links/$id' });
  const { data, error, refetch } = useQuery({ ...linkQuery(id), refetchInterval: countsEveryMs });
  if (data !== undefined) return <Loaded link={data.data} />;
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  return <Skeleton rows={5} height={4} />;
}

function Loaded({ link }: { link: ShortLink }) {
  const words = useLinkPageWords();
  const linkWords = useLinkWords();
  const ui = useUiWords();
  const format = useFormat();
  const now = useNow();
  const navigate = useNavigate();
  const { installation } = useSession();
  const queries = useQueryClient();
  const [isDeleting, setDeleting] = useState(false);
  const url = shownShortUrl(link.originUrl);
  const state = stateOf(link, now);
  useTitle(url);

  async function change(patch: Record<string, unknown>, done: string): Promise<void> {
    try {
      await updateLink(link.id, patch);
      sayDone(done);
    } catch (error) {
      sayFailed(linkWords.notChanged(url), error, {
        label: linkWords.tryAgain,
        onPress: () => void change(patch, done),
      });
    }
    await queries.invalidateQueries({ queryKey: ['links'] });
  }

  const power = (): void =>
    void change({ isActive: !link.isActive }, link.isActive ? linkWords.switchedOff(url) : linkWords.switchedOn(url));
  const edit = (): void => void navigate({ to: '/links/$id/edit', params: { id: link.id } });
  const copy = (): void =>
    void copyText(link.originUrl).then((isCopied) => isCopied && sayDone(ui.copied(link.originUrl)));
  useKeys({
    e: edit,
    y: copy,
    o: power,
    q: () => void navigate({ to: '/links/$id/qr', params: { id: link.id } }),
    w: () => {
      const panel = document.querySelector<HTMLElement>('#countries');
      panel?.scrollIntoView({ block: 'center' });
      panel?.focus();
    },
    Escape: () => void navigate({ to: '/links' }),
  });
  const command = `curl -X PATCH ${apiBase()}/short-link/${link.id} -H 'x-api-key: …' \\\n  --json '{"destination":${JSON.stringify({ type: link.destination.type, value: link.destination.value })}}'`;
  return (
    <article className={css.page}>
      <p>
        <Link to="/links">{words.back}</Link>
      </p>
      <header className={css.head}>
        <h1>{url}</h1>
        <CopyButton text={link.originUrl} label={linkWords.copy} size="normal" />
        <span>
          <Chip tone={stateTones[state]}>{linkWords.stateNames[state]}</Chip>
        </span>
        <a className={buttonClass()} href={link.originUrl} target="_blank" rel="noreferrer">
          <Icon name="external" />
          {linkWords.open}
        </a>
        <Link className={buttonClass()} to="/stats" search={{ link: [link.id] }}>
          <Icon name="chart" />
          {words.stats}
        </Link>
        <Link className={buttonClass()} to="/links/$id/qr" params={{ id: link.id }}>
          <Icon name="qr" />
          {linkWords.qr}
        </Link>
        <Button
          icon="power"
          hint={link.takenDown === null ? 'o' : linkWords.takenDown}
          isDisabled={link.takenDown !== null}
          onPress={power}
        >
          {link.isActive ? words.off : words.on}
        </Button>
        <Button icon="edit" variant="primary" hint="e" onPress={edit}>
          {linkWords.edit}
        </Button>
        <Menu
          label={linkWords.actions}
          trigger={<IconButton icon="more" label={linkWords.actions} />}
          groups={[
            [
              {
                id: 'duplicate',
                label: linkWords.duplicate,
                icon: 'duplicate',
                onAction: () =>
                  void navigate({ to: '/links/$id/edit', params: { id: link.id }, search: { copy: 'yes' } }),
              },
              {
                id: 'archive',
                label: link.isArchived ? linkWords.restore : linkWords.archive,
                icon: 'archive',
                onAction: () => void change({ isArchived: !link.isArchived }, linkWords.saved),
              },
            ],
            [
              {
                id: 'delete',
                label: linkWords.delete,
                icon: 'trash',
                isDanger: true,
                onAction: () => setDeleting(true),
              },
            ],
          ]}
        />
      </header>
      <p>{describeLink(link, words, format, now)}</p>
      {link.takenDown !== null && (
        <Notice tone="bad" icon="shield">
          <p>{linkWords.takenDown}</p>
          <p>
            {linkWords.takenDownReason} <strong>{link.takenDown.reason}</strong>
          </p>
          <p>
            <AskOperator contact={installation.supportContact} />
          </p>
        </Notice>
      )}
      {(link.warnings ?? []).length > 0 && (
        <Notice tone="warn" icon="warning">
          <h3>{words.remarks}</h3>
          <ul>
            {(link.warnings ?? []).map(({ path, message }) => (
              <li key={path}>
                {path} {message}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <p className={css.destination}>
        {words.destination}: <strong>{link.destination.value}</strong>
      </p>
      <p className={css.numbers} role="status">
        <span>
          <strong className="tabular">{format.number(link.currentClicks)}</strong> {words.clicks}
        </span>
        <span className="quiet">
          {link.lastClickedAt === null
            ? linkWords.neverClicked
            : `${linkWords.lastClick} ${format.ago(link.lastClickedAt, now)}`}
        </span>
      </p>
      <Week id={link.id} />
      <Meet link={link} />
      <NowNext subject={link.id} />
      <section className={css.panel} aria-label={words.history}>
        <h2>{words.history}</h2>
        <History link={link} />
        <p>
          <Link to="/links/$id/history" params={{ id: link.id }}>
            {words.story}
          </Link>
        </p>
      </section>
      <section className={css.panel} aria-label={words.byApi}>
        <h2>{words.byApi}</h2>
        <Code text={command} label={words.byApi} />
      </section>
      {isDeleting && (
        <DeleteDialog
          links={[link]}
          selection={undefined}
          filters={{}}
          onClose={(isDone) => {
            setDeleting(false);
            if (isDone) void navigate({ to: '/links' });
          }}
        />
      )}
    </article>
  );
}
