import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { linkListQuery } from '#console/api/links/links.ts';
import type { ShortLinkItem } from '#console/api/types.ts';
import { useTitle } from '#console/app/places/title.ts';
import { useListSearch } from '#console/app/places/use-page-search.ts';
import { NothingFound } from '#console/organize/table-page.tsx';
import type { LabelsSearch } from '#console/organize/search.ts';
import { shownShortUrl } from '#console/links/short-url.ts';
import { IconButton } from '#console/ui/button.tsx';
import { download } from '#console/ui/browser/download.ts';
import { List } from '#console/ui/list/list.tsx';
import { SearchBox } from '#console/ui/list/search-box.tsx';
import { sayFailed } from '#console/ui/messages.tsx';
import { Empty } from '#console/ui/page/states.tsx';
import { drawnSide } from './draw.ts';
import { QrPicture, useQrPicture } from './picture.tsx';
import { useQrWords } from './words.ts';
import css from './qr.module.css';
import layout from '#console/ui/page/layout.module.css';

const perPage = 24;
const side = 148;

/** /qr-codes: the codes of all links, as they are printed. */
export default function QrCodesPage() {
  const words = useQrWords();
  useTitle(words.list.title);
  const { search, change, searchFor } = useListSearch<LabelsSearch>();
  const { q = '', page = 1 } = search;
  const paging = { sortBy: 'createdAt', sortOrder: 'desc' as const, page: page - 1, limit: perPage };
  return (
    <div className={layout.page}>
      <div className={layout.head}>
        <h1>{words.list.title}</h1>
        <SearchBox label={words.list.search} text={q} onSearch={searchFor} />
      </div>
      <List
        query={useQuery(linkListQuery(q === '' ? {} : { search: q }, { ...paging, withQrCodeTemplate: true }))}
        page={page}
        perPage={perPage}
        onPage={(next) => change({ page: next })}
        found={words.list.found}
        height={13}
        empty={
          q === '' ? (
            <Empty icon="qr" title={words.list.emptyTitle}>
              {words.list.emptyText}
            </Empty>
          ) : (
            <NothingFound title={words.list.nothing} onClear={() => change({ q: undefined })} />
          )
        }
      >
        {(links) => (
          <ul className={css.codes} aria-label={words.list.title}>
            {links.map((link) => (
              <Code key={link.id} link={link} />
            ))}
          </ul>
        )}
      </List>
    </div>
  );
}

function Code({ link }: { link: ShortLinkItem }) {
  const words = useQrWords();
  const url = shownShortUrl(link.originUrl);
  const [host, ...path] = url.split('/');
  const { svg, draw } = useQrPicture(link.originUrl, link.qrCode ?? null, side);

  async function save(): Promise<void> {
    try {
      download(new Blob([await draw(drawnSide)], { type: 'image/svg+xml' }), `${link.slug}.svg`);
    } catch (failure) {
      sayFailed(words.notDrawn, failure);
    }
  }

  return (
    <li className={css.code}>
      <div className={css.drawn}>
        {svg !== undefined && <QrPicture svg={svg} alt={words.picture(url)} side={side} />}
      </div>
      <div className={css.about}>
        <Link className="bare" to="/links/$id/qr" params={{ id: link.id }} aria-label={words.list.edit(url)}>
          <bdi>{host}/</bdi>
          <wbr />
          <bdi>{path.join('/')}</bdi>
        </Link>
        {link.title !== null && (
          <span className="quiet small">
            <Link className="bare" to="/links/$id" params={{ id: link.id }}>
              {link.title}
            </Link>
          </span>
        )}
      </div>
      <IconButton icon="download" size="small" label={words.list.save(url)} onPress={() => void save()} />
    </li>
  );
}
