import { refusalWords } from '#console/api/refusal.ts';
import { useChange } from '#console/ui/form/use-change.ts';
import { Loaded } from '#console/ui/page/loaded.tsx';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { apiBase } from '#console/api/client.ts';
import { linkQuery, updateLink } from '#console/api/links/links.ts';
import type { ShortLink } from '#console/api/types.ts';
import { AskOperator } from '#console/app/organization/ask-operator.tsx';
import { useKeyHint, useKeys } from '#console/app/keys.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { lastSearch } from '#console/app/places/use-page-search.ts';
import { useTitle } from '#console/app/places/title.ts';
import { useFormat } from '#console/i18n/format.ts';
import { shownShortUrl } from '#console/links/short-url.ts';
import { stateOf, stateTones } from '#console/links/state.ts';
import { useLinkWords } from '#console/links/words.ts';
import { NowNext } from '#console/processes/story.tsx';
import { Button, buttonClass, IconButton } from '#console/ui/button.tsx';
import { Code } from '#console/ui/text/code.tsx';
import { CopyButton, copyText } from '#console/ui/text/copy.tsx';
import { Icon } from '#console/ui/icon.tsx';
import { late } from '#console/ui/page/late.tsx';
import { Menu } from '#console/ui/menu.tsx';
import { sayDone } from '#console/ui/messages.tsx';
import { useNow } from '#console/ui/browser/now.ts';
import { Chip, Notice } from '#console/ui/page/states.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { isMissing } from '#console/api/error.ts';
import { LinkGone } from '#console/links/gone.tsx';
import { History } from './history.tsx';
import { useIsDomainOff } from './domain-off.ts';
import { Meet } from './meet.tsx';
import { LinkPicture } from './picture.tsx';
import { describeLink } from './sentence.ts';
import { useThreatPolicy } from '#console/links/threat-policy.ts';
import { Week } from './week.tsx';
import { useLinkPageWords } from './words.ts';
import css from './link.module.css';
import layout from '#console/ui/page/layout.module.css';

const DeleteDialog = late(
  async () => (await import('#console/links/list/bulk/delete-dialog.tsx')).DeleteDialog,
  'message',
);

const countsEveryMs = 5_000;

/** /links/<id> */
export default function LinkPage() {
  const { id } = useParams({ from: '/frame/links/$id' });
  return (
    <Loaded
      query={useQuery({
        ...linkQuery(id),
        refetchInterval: ({ state }) => (isMissing(state.error) ? false : countsEveryMs),
      })}
      rows={5}
      height={4}
      gone={<LinkGone />}
    >
      {({ data }) => <LinkView link={data} />}
    </Loaded>
  );
}

function LinkView({ link }: { link: ShortLink }) {
  const words = useLinkPageWords();
  const linkWords = useLinkWords();
  const format = useFormat();
  const now = useNow();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const keyHint = useKeyHint();
  const { installation } = useSession();
  const [isDeleting, setDeleting] = useState(false);
  const url = shownShortUrl(link.originUrl);
  const state = stateOf(link, now);
  const isDomainOff = useIsDomainOff(link.domainId);
  const policy = useThreatPolicy(link);
  useTitle(url);

  const change = useChange({
    send: ({ patch }: { patch: Record<string, unknown>; done: string }) => updateLink(link.id, patch),
    done: (_answer, { done }) => done,
    failed: linkWords.notChanged(url),
    refresh: [['links']],
  });

  const power = (): void =>
    change.send({
      patch: { isActive: !link.isActive },
      done: link.isActive ? linkWords.switchedOff(url) : linkWords.switchedOn(url),
    });
  const archive = (): void => change.send({ patch: { isArchived: !link.isArchived }, done: linkWords.saved });
  const edit = (): void => void navigate({ to: '/links/$id/edit', params: { id: link.id } });
  const copy = (): void =>
    void copyText(link.originUrl).then((isCopied) => isCopied && sayDone(words.copied(link.originUrl)));
  useKeys({
    e: edit,
    y: copy,
    ...(link.isArchived ? {} : { o: power }),
    q: () => void navigate({ to: '/links/$id/qr', params: { id: link.id } }),
    w: () => {
      const panel = document.querySelector<HTMLElement>('#countries');
      panel?.scrollIntoView({ block: 'center' });
      panel?.focus();
    },
    Escape: () => void navigate({ to: '/links', search: lastSearch('/links') }),
  });
  const command = `curl -X PATCH ${apiBase()}/short-link/${link.id} -H 'x-api-key: …' \\\n  --json '{"destination":${JSON.stringify({ type: link.destination.type, value: link.destination.value })}}'`;
  return (
    <article className={layout.page}>
      <p className={layout.back}>
        <Link to="/links" search={lastSearch('/links')}>
          {words.links}
        </Link>
      </p>
      <header className={css.head}>
        <div className={css.title}>
          <h1>{url}</h1>
          <CopyButton text={link.originUrl} label={linkWords.copy} size="normal" />
          <Chip tone={stateTones[state]}>{linkWords.stateNames[state]}</Chip>
          {isDomainOff && <Chip tone="warn">{words.domainIsOff}</Chip>}
          {link.title !== null && <p className={`quiet ${css.subtitle}`}>{link.title}</p>}
        </div>
        {!link.isArchived && (
          <a className={buttonClass()} href={link.originUrl} target="_blank" rel="noreferrer">
            <Icon name="external" />
            {linkWords.open}
          </a>
        )}
        <Link className={buttonClass()} to="/stats" search={{ link: [link.id] }}>
          <Icon name="chart" />
          {words.stats}
        </Link>
        <Link className={buttonClass()} to="/links/$id/qr" params={{ id: link.id }}>
          <Icon name="qr" />
          {linkWords.qr}
        </Link>
        {!link.isArchived && (
          <Button
            icon="power"
            hint={link.takenDown === null ? keyHint('o') : linkWords.takenDown}
            isDisabled={link.takenDown !== null}
            onPress={power}
          >
            {link.isActive ? linkWords.switchOff : linkWords.switchOn}
          </Button>
        )}
        <Button icon="edit" variant={link.isArchived ? 'normal' : 'primary'} hint={keyHint('e')} onPress={edit}>
          {words.edit}
        </Button>
        {link.isArchived && (
          <Button icon="archive" variant="primary" onPress={archive}>
            {linkWords.restore}
          </Button>
        )}
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
              !link.isArchived && { id: 'archive', label: linkWords.archive, icon: 'archive', onAction: archive },
            ],
            [
              {
                id: 'delete',
                label: words.delete,
                icon: 'trash',
                isDanger: true,
                onAction: () => setDeleting(true),
              },
            ],
          ]}
        />
      </header>
      <p className={css.sentence}>
        {isDomainOff ? words.domainOff(link.domain.domain) : describeLink(link, words, format, now, policy)}
      </p>
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
              <li key={path}>{refusalWords(message, path)}</li>
            ))}
          </ul>
        </Notice>
      )}
      <div className={css.columns}>
        <div className={layout.stack}>
          <LinkPicture link={link} />
          <Meet link={link} />
        </div>
        <div className={layout.stack}>
          <Week link={link} />
        </div>
      </div>
      <NowNext subject={link.id} />
      <Panel title={words.history}>
        <History link={link} />
        <p>
          <Link to="/links/$id/history" params={{ id: link.id }}>
            {words.story}
          </Link>
        </p>
      </Panel>
      <details className={css.more}>
        <summary className="quiet">{words.command}</summary>
        <Code text={command} label={words.command} />
      </details>
      {isDeleting && (
        <DeleteDialog
          links={[link]}
          selection={undefined}
          filters={{}}
          onClose={(isDone) => {
            setDeleting(false);
            // The person may be on another page by now.
            if (!isDone || !location.pathname.includes(link.id)) return;
            // The way back to this page finds no link that was read before.
            void navigate({ to: '/links', search: lastSearch('/links') }).then(() =>
              queries.removeQueries(linkQuery(link.id)),
            );
          }}
        />
      )}
    </article>
  );
}
