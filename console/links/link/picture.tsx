import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { allFoldersQuery } from '#console/api/links/labels.ts';
import { fileQuery } from '#console/api/links/files.ts';
import type { ShortLink } from '#console/api/types.ts';
import { useFormat } from '#console/i18n/format.ts';
import { hostOf, shownShortUrl } from '#console/links/short-url.ts';
import { useLinkWords } from '#console/links/words.ts';
import { Facts, type Fact } from '#console/ui/page/facts.tsx';
import { late } from '#console/ui/page/late.tsx';
import { Label } from '#console/ui/page/label.tsx';
import { Moment } from '#console/ui/page/moment.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { Skeleton } from '#console/ui/page/states.tsx';
import { Address } from './address.tsx';
import { useLinkPageWords } from './words.ts';
import css from './link.module.css';
import layout from '#console/ui/page/layout.module.css';

// With the library that draws it.
const Code = late(async () => (await import('./code.tsx')).default, 'nothing', <Skeleton height={9} />);

/** What the link is: where it leads, its code, its card, its folder, tags, campaign and limits. */
export function LinkPicture({ link }: { link: ShortLink }) {
  const words = useLinkPageWords();
  const linkWords = useLinkWords();
  const format = useFormat();
  const campaign = [link.utmSource, link.utmMedium, link.utmCampaign, link.utmTerm, link.utmContent].filter(
    (value) => value !== null,
  );
  const ways = [
    link.cloaking && words.facts.cloaked,
    link.forwardQuery && words.facts.forwardsQuery,
    link.destination.enableDeepLinking && words.facts.opensApp,
    link.hasPassword && words.facts.hasPassword,
  ].filter((way) => way !== false);
  const { data: folders } = useQuery(allFoldersQuery);
  const isInDefault = folders?.find(({ id }) => id === link.folderId)?.isDefault ?? true;
  const facts: Fact[] = [
    [
      linkWords.folder,
      isInDefault ? null : (
        <Link key="folder" to="/links" search={{ folder: [link.folderId] }} className="bare">
          <Label kind="folder" color={link.folder.color}>
            {link.folder.name}
          </Label>
        </Link>
      ),
    ],
    [
      words.facts.tags,
      link.tags.length === 0 ? null : (
        <span key="tags" className={layout.actions}>
          {link.tags.map(({ id, name, color }) => (
            <Link key={id} to="/links" search={{ tag: [name] }} className="bare">
              <Label kind="tag" color={color}>
                {name}
              </Label>
            </Link>
          ))}
        </span>
      ),
    ],
    [words.facts.campaign, campaign.join(' · ') || null],
    [words.facts.ends, link.expiresAt && <Moment key="ends" at={link.expiresAt} />],
    [
      words.facts.cap,
      link.maxClicks === null ? null : (
        <span key="cap" className={css.cap}>
          {linkWords.ofCap(format.number(link.currentClicks), linkWords.clicks(link.maxClicks))}
          <progress max={Math.max(1, link.maxClicks)} value={link.currentClicks} aria-hidden="true" />
        </span>
      ),
    ],
    [words.facts.behaviour, ways.join(' · ') || null],
    [words.facts.externalId, link.externalId],
    [words.facts.made, <Moment key="made" at={link.createdAt} as="day" />],
    [
      words.facts.notes,
      link.notes && (
        <span key="notes" className={css.notes}>
          {link.notes}
        </span>
      ),
      'wide',
    ],
  ];
  return (
    <Panel title={words.about} heading={null}>
      <div className={css.about}>
        <div className={layout.stack}>
          <div>
            <h2 className={`quiet small ${css.factName}`}>{words.destination}</h2>
            <Address link={link} />
          </div>
          <Facts facts={facts} />
        </div>
        <Link to="/links/$id/qr" params={{ id: link.id }} className={css.code} aria-label={linkWords.qr}>
          <Code link={link} />
        </Link>
      </div>
      <SocialPreview link={link} />
    </Panel>
  );
}

/** The link's own card, as networks show it; nothing where they show that of the destination. */
function SocialPreview({ link: { metaTags, originUrl, hasPassword } }: { link: ShortLink }) {
  const words = useLinkPageWords();
  const { title, description, imageId } = metaTags ?? { title: null, description: null, imageId: null };
  const { data: file } = useQuery({ ...fileQuery(imageId ?? ''), enabled: imageId !== null });
  if (title === null && description === null && imageId === null) return null;
  // Networks meet the page that asks for the password, which tells nothing.
  if (hasPassword) return <p className="quiet">{words.facts.cardHidden}</p>;
  return (
    <figure className={css.card} aria-label={words.facts.card}>
      {file !== undefined && <img src={file.url} alt="" />}
      <figcaption className="small">
        <span className="quiet">{hostOf(originUrl)}</span>
        <strong>{title ?? shownShortUrl(originUrl)}</strong>
        {description !== null && <span>{description}</span>}
      </figcaption>
    </figure>
  );
}
