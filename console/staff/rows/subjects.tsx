import type { ToolItem } from '#console/api/staff.ts';
import { shownShortUrl } from '#console/links/short-url.ts';
import { stateOf, stateTones } from '#console/links/state.ts';
import { useLinkWords } from '#console/links/words.ts';
import { StaffRow } from '#console/staff/list.tsx';
import { useStaffWords } from '#console/staff/words.ts';
import { Owner, Processes, TakeDownOrRestore, ToolButton } from './actions.tsx';
import { Chip } from '#console/ui/page/states.tsx';
import { Moment } from '#console/ui/page/moment.tsx';
import { useFormat } from '#console/i18n/format.ts';
import { useNow } from '#console/ui/browser/now.ts';

/** A link of any organization. @param isOfMany whether rows are of several organizations. */
export function LinkRow({ link, isOfMany }: { link: ToolItem<'links.search'>; isOfMany: boolean }) {
  const words = useStaffWords();
  const linkWords = useLinkWords();
  const state = stateOf(link, useNow());
  const { id, originUrl, takenDown, destination, currentClicks, createdAt, organizationId } = link;
  const url = shownShortUrl(originUrl);
  return (
    <StaffRow
      lines={[
        destination.value,
        <>
          {words.clicks(currentClicks)} · <Moment at={createdAt} as="ago" />
          {takenDown !== null && <> · {takenDown.reason}</>}
        </>,
      ]}
      actions={
        <>
          <Owner id={organizationId} isShown={isOfMany} />
          <Processes search={{ ofLink: id }} name={url} />
          <TakeDownOrRestore kind="links" id={id} name={url} isOff={takenDown !== null} />
        </>
      }
    >
      <a href={originUrl} target="_blank" rel="noreferrer">
        {url}
      </a>{' '}
      <Chip tone={stateTones[state]}>{linkWords.stateNames[state]}</Chip>
    </StaffRow>
  );
}

/** A file of any organization. */
export function FileRow({ file, isOfMany }: { file: ToolItem<'files.list'>; isOfMany: boolean }) {
  const words = useStaffWords();
  const format = useFormat();
  const { id, name, url, mime, size, createdAt, takenDown, organizationId } = file;
  return (
    <StaffRow
      lines={[
        <>
          {mime} · {format.bytes(size)} · {format.day(createdAt)}
          {takenDown !== null && <> · {takenDown.reason}</>}
        </>,
      ]}
      actions={
        <>
          <Owner id={organizationId} isShown={isOfMany} />
          <TakeDownOrRestore kind="files" id={id} name={name} isOff={takenDown !== null} />
        </>
      }
    >
      <a href={url} target="_blank" rel="noreferrer">
        {name}
      </a>{' '}
      {takenDown !== null && <Chip tone="bad">{words.isTakenDown}</Chip>}
    </StaffRow>
  );
}

/** A domain of any organization, or of the platform. */
export function DomainRow({ domain: row, isOfMany }: { domain: ToolItem<'domains.list'>; isOfMany: boolean }) {
  const words = useStaffWords();
  const format = useFormat();
  const now = useNow();
  const { id, domain, isVerified, lastCheckedAt, organizationId } = row;
  return (
    <StaffRow
      lines={[lastCheckedAt === null ? words.neverChecked : words.lastChecked(format.ago(lastCheckedAt, now))]}
      actions={
        <>
          <Owner id={organizationId} isShown={isOfMany} />
          <Processes search={{ ofDomain: id }} name={domain} />
          {organizationId !== null && (
            <ToolButton path="domains.check" input={{ id }} label={words.checkOne(domain)} done={words.checked(domain)}>
              {words.check}
            </ToolButton>
          )}
        </>
      }
    >
      <strong>{domain}</strong>{' '}
      <Chip tone={isVerified ? 'good' : 'warn'}>{isVerified ? words.verified : words.unverified}</Chip>
    </StaffRow>
  );
}
