import { useState } from 'react';
import type { ToolItem } from '#console/api/staff.ts';
import { useFormat } from '#console/i18n/format.ts';
import { shownShortUrl } from '#console/links/short-url.ts';
import { ReasonDialog } from '#console/staff/dialogs.tsx';
import { useChange } from '#console/staff/use-change.ts';
import { useStaffWords } from '#console/staff/words.ts';
import css from '#console/staff/staff.module.css';
import { Button } from '#console/ui/button.tsx';
import { useNow } from '#console/ui/now.ts';
import { Chip } from '#console/ui/states.tsx';
import { Owner, Processes } from './ways.tsx';

/** A link of any organization. @param isOfMany whether rows are of several organizations. */
export function LinkRow({ link, isOfMany }: { link: ToolItem<'links.search'>; isOfMany: boolean }) {
  const words = useStaffWords();
  const format = useFormat();
  const now = useNow();
  const url = shownShortUrl(link.originUrl);
  const [isAsking, setAsking] = useState(false);
  const takeDown = useChange('links.takeDown', words.takenDown(url), () => setAsking(false));
  const restore = useChange('links.restore', words.restored(url));
  const isOff = link.takenDown !== null;
  return (
    <li>
      <span className={css.about}>
        <span>
          <a href={link.originUrl} target="_blank" rel="noreferrer">
            {url}
          </a>{' '}
          {isOff ? (
            <Chip tone="bad">{words.isTakenDown}</Chip>
          ) : (
            <Chip tone={link.isActive ? 'good' : 'quiet'}>{link.isActive ? words.on : words.off}</Chip>
          )}
        </span>
        <span className="quiet">{link.destination.value}</span>
        <span className="quiet">
          {words.clicks(link.currentClicks)} ·{' '}
          <span title={format.whole(link.createdAt)}>{format.ago(link.createdAt, now)}</span>
          {isOff && <> · {link.takenDown?.reason}</>}
        </span>
      </span>
      <span className={css.actions}>
        <Owner id={link.organizationId} isShown={isOfMany} />
        <Processes search={{ ofLink: link.id }} name={url} />
        {isOff ? (
          <Button
            size="small"
            isDisabled={restore.isPending}
            onPress={() => restore.mutate({ id: link.id })}
            aria-label={words.restoreOne(url)}
          >
            {words.restore}
          </Button>
        ) : (
          <Button size="small" variant="danger" onPress={() => setAsking(true)} aria-label={words.takeDownOne(url)}>
            {words.takeDown}
          </Button>
        )}
      </span>
      {isAsking && (
        <ReasonDialog
          title={words.takeDownOne(url)}
          text={words.takeDownText}
          confirmLabel={words.takeDown}
          isDanger
          isPending={takeDown.isPending}
          onConfirm={(reason) => takeDown.mutate({ id: link.id, reason })}
          onClose={() => setAsking(false)}
        />
      )}
    </li>
  );
}

/** A file of any organization. */
export function FileRow({ file, isOfMany }: { file: ToolItem<'files.list'>; isOfMany: boolean }) {
  const words = useStaffWords();
  const format = useFormat();
  const [isAsking, setAsking] = useState(false);
  const takeDown = useChange('files.takeDown', words.takenDown(file.name), () => setAsking(false));
  const restore = useChange('files.restore', words.restored(file.name));
  const isOff = file.takenDown !== null;
  return (
    <li>
      <span className={css.about}>
        <span>
          <a href={file.url} target="_blank" rel="noreferrer">
            {file.name}
          </a>{' '}
          {isOff && <Chip tone="bad">{words.isTakenDown}</Chip>}
        </span>
        <span className="quiet">
          {file.mime} · {format.bytes(file.size)} · {format.day(file.createdAt)}
          {isOff && <> · {file.takenDown?.reason}</>}
        </span>
      </span>
      <span className={css.actions}>
        <Owner id={file.organizationId} isShown={isOfMany} />
        {isOff ? (
          <Button
            size="small"
            isDisabled={restore.isPending}
            onPress={() => restore.mutate({ id: file.id })}
            aria-label={words.restoreOne(file.name)}
          >
            {words.restore}
          </Button>
        ) : (
          <Button
            size="small"
            variant="danger"
            onPress={() => setAsking(true)}
            aria-label={words.takeDownOne(file.name)}
          >
            {words.takeDown}
          </Button>
        )}
      </span>
      {isAsking && (
        <ReasonDialog
          title={words.takeDownOne(file.name)}
          text={words.takeFileDownText}
          confirmLabel={words.takeDown}
          isDanger
          isPending={takeDown.isPending}
          onConfirm={(reason) => takeDown.mutate({ id: file.id, reason })}
          onClose={() => setAsking(false)}
        />
      )}
    </li>
  );
}

/** A domain of any organization, or of the platform. */
export function DomainRow({ domain, isOfMany }: { domain: ToolItem<'domains.list'>; isOfMany: boolean }) {
  const words = useStaffWords();
  const format = useFormat();
  const now = useNow();
  const check = useChange('domains.check', words.checked(domain.domain));
  return (
    <li>
      <span className={css.about}>
        <span>
          <strong>{domain.domain}</strong>{' '}
          <Chip tone={domain.isVerified ? 'good' : 'warn'}>
            {domain.isVerified ? words.verified : words.unverified}
          </Chip>
        </span>
        <span className="quiet">
          {domain.lastCheckedAt === null
            ? words.neverChecked
            : words.lastChecked(format.ago(domain.lastCheckedAt, now))}
        </span>
      </span>
      <span className={css.actions}>
        <Owner id={domain.organizationId} isShown={isOfMany} />
        <Processes search={{ ofDomain: domain.id }} name={domain.domain} />
        {domain.organizationId !== null && (
          <Button
            size="small"
            isDisabled={check.isPending}
            onPress={() => check.mutate({ id: domain.id })}
            aria-label={words.checkOne(domain.domain)}
          >
            {words.check}
          </Button>
        )}
      </span>
    </li>
  );
}
