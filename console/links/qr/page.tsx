import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { domainQuery, updateDomain } from '#console/api/domains.ts';
import { usableDomainsQuery } from '#console/api/links/labels.ts';
import { linkQuery, updateLink } from '#console/api/links/links.ts';
import type { ShortLink } from '#console/api/types.ts';
import { useRefusal } from '#console/app/can.ts';
import { useKeys } from '#console/app/keys.ts';
import { useTitle } from '#console/app/places/title.ts';
import { shownShortUrl } from '#console/links/short-url.ts';
import { Button } from '#console/ui/button.tsx';
import { forgetKept, keep, readKept } from '#console/ui/browser/kept.ts';
import { download } from '#console/ui/browser/download.ts';
import { Select } from '#console/ui/form/list-field.tsx';
import { useChange } from '#console/ui/form/use-change.ts';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { late } from '#console/ui/page/late.tsx';
import { LinkGone } from '#console/links/gone.tsx';
import { Loaded } from '#console/ui/page/loaded.tsx';
import { Notice, Skeleton } from '#console/ui/page/states.tsx';
import { findQrWarnings } from '#core/links/warnings/qr-warnings.ts';
import { QrDesigner } from './designer.tsx';
import { drawnSide, plainStyle, type QrStyle, toPng } from './draw.ts';
import { tryOut } from './try-out.ts';
import { QrPicture, useQrPicture } from './picture.tsx';
import { useQrWords } from './words.ts';
import css from './qr.module.css';
import layout from '#console/ui/page/layout.module.css';

const PdfDialog = late(async () => (await import('./pdf/dialog.tsx')).default, 'message');

const shownSide = 320;
const sides = ['300', '600', '1000', '2000'] as const;

/** /links/<id>/qr */
export default function QrPage() {
  const { id } = useParams({ from: '/frame/links/$id/qr' });
  return (
    <Loaded query={useQuery(linkQuery(id))} rows={4} height={5} gone={<LinkGone />}>
      {({ data }) => <QrOfLink key={id} link={data} />}
    </Loaded>
  );
}

function QrOfLink({ link }: { link: ShortLink }) {
  const words = useQrWords();
  const saved = link.qrCode ?? plainStyle;
  // A style that is not saved survives a look at another page and a reload, as long as the tab lives.
  const keptName = `waymark.qr.${link.id}`;
  const [style, setStyle] = useState(() => (readKept('sessionStorage', keptName) as QrStyle | undefined) ?? saved);
  const edit = (next: QrStyle): void => {
    setStyle(next);
    keep('sessionStorage', keptName, next);
  };
  const [isWrong, setWrong] = useState(false);
  const [side, setSide] = useState<(typeof sides)[number]>('1000');
  const [isPrinting, setPrinting] = useState(false);
  const refusal = useRefusal('shortLinks', 'update');
  const url = shownShortUrl(link.originUrl);
  useTitle(words.title(url));
  const picture = useQrPicture(link.originUrl, style, shownSide);
  const { svg, error, draw } = picture;
  const { failed, isTrying } = useTrial(link.originUrl, picture);
  const isChanged = JSON.stringify(style) !== JSON.stringify(saved);
  // Dots and corners often have the same fault: one sentence tells it.
  const warnings = new Set(findQrWarnings(style.options, style.imageId !== null).map(({ code }) => code));

  const save = useChange({
    send: (qrCode: QrStyle) => updateLink(link.id, { qrCode }),
    done: words.saved,
    failed: words.notSaved,
    refresh: [['links']],
    onDone: () => forgetKept('sessionStorage', keptName),
  });

  const drawPng = async (): Promise<Blob> => toPng(await draw(Number(side)), Number(side));

  async function saveAs(kind: 'svg' | 'png'): Promise<void> {
    try {
      if (kind === 'png') download(await drawPng(), `${link.slug}-${side}.png`);
      else download(new Blob([await draw(drawnSide)], { type: 'image/svg+xml' }), `${link.slug}.svg`);
    } catch (failure) {
      sayFailed(words.notDrawn, failure);
    }
  }

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': drawPng() })]);
      sayDone(words.copied);
    } catch (failure) {
      sayFailed(words.notCopied, failure);
    }
  }

  useKeys({ 'mod+Enter': () => (refusal === undefined && isChanged && !isWrong ? save.send(style) : undefined) });

  return (
    <article className={layout.page}>
      <p className={layout.back}>
        <Link to="/links/$id" params={{ id: link.id }}>
          {words.back}
        </Link>
      </p>
      <h1>{words.title(url)}</h1>
      <div className={css.columns}>
        <section className={`${css.picture} ${layout.panel}`}>
          {error !== undefined && (
            <Notice tone="bad">
              {words.notDrawn} {error}
            </Notice>
          )}
          {svg === undefined ? (
            <Skeleton height={20} />
          ) : (
            <QrPicture svg={svg} alt={words.picture(url)} side={shownSide} />
          )}
          {svg !== undefined && (
            <div className={css.actions}>
              <Button variant="primary" icon="download" autoFocus onPress={() => void saveAs('svg')}>
                {words.svg}
              </Button>
              <Button icon="download" onPress={() => void saveAs('png')}>
                {words.png}
              </Button>
              <Select
                label={words.side}
                isLabelHidden
                value={side}
                onChange={setSide}
                choices={sides.map((id) => ({ id, label: `${id} px` }))}
              />
              <Button icon="copy" onPress={() => void copy()}>
                {words.copy}
              </Button>
              <Button icon="print" onPress={() => setPrinting(true)}>
                {words.pdf}
              </Button>
              {isPrinting && (
                <PdfDialog name={link.slug} draw={() => draw(drawnSide)} onClose={() => setPrinting(false)} />
              )}
            </div>
          )}
          <div role="status" aria-label={words.trial.title}>
            {isTrying || failed === undefined ? (
              <Notice tone="quiet">{words.trial.trying}</Notice>
            ) : failed.length === 0 ? (
              // A warning is the verdict: other scanners are not as good as the one here.
              warnings.size === 0 && (
                <Notice tone="good" icon="check">
                  {words.trial.works}
                </Notice>
              )
            ) : (
              <Notice tone="bad" icon="warning">
                {words.trial.fails(failed.map((name) => words.trial.names[name]).join(', '))}
              </Notice>
            )}
            {[...warnings].map((code) => (
              <Notice key={code} tone="warn" icon="warning">
                {words.warnings[code]}
              </Notice>
            ))}
          </div>
        </section>
        <section className={layout.panel} aria-label={words.style}>
          <h2>{words.style}</h2>
          <QrDesigner style={style} onChange={edit} onWrong={setWrong} />
          {isChanged && <p role="status">{words.unsaved}</p>}
          <div className={css.actions}>
            <Button
              variant="primary"
              isPending={save.isPending}
              refusal={refusal}
              isDisabled={!isChanged || isWrong}
              onPress={() => save.send(style)}
            >
              {words.save}
            </Button>
            <Button variant="plain" onPress={() => edit(plainStyle)}>
              {words.reset}
            </Button>
          </div>
          <DomainTemplate link={link} style={style} onUse={edit} />
        </section>
      </div>
    </article>
  );
}

/** The template of the link's domain, which new links begin with: taken over, or made of this style. Platform domains have none. */
function DomainTemplate({ link, style, onUse }: { link: ShortLink; style: QrStyle; onUse: (style: QrStyle) => void }) {
  const words = useQrWords();
  const queries = useQueryClient();
  const refusal = useRefusal('domains', 'update');
  const { data: domains } = useQuery(usableDomainsQuery);
  const isOwn = domains?.some(({ id, createdAt }) => id === link.domainId && createdAt !== null) ?? false;
  const { data: domain } = useQuery({ ...domainQuery(link.domainId), enabled: isOwn });
  const make = useChange({
    send: () => updateDomain(link.domainId, { qrCode: style }),
    done: (changed) => words.template.made(changed.domain),
    failed: words.template.notMade,
    onDone: (changed) => queries.setQueryData(domainQuery(link.domainId).queryKey, changed),
  });
  if (domain === undefined) return null;
  const { qrCode: template } = domain;

  return (
    <div className={css.actions} role="group" aria-label={words.template.title(domain.domain)}>
      {template !== null && (
        <Button size="small" onPress={() => onUse(template)}>
          {words.template.use(domain.domain)}
        </Button>
      )}
      <Button size="small" refusal={refusal} onPress={() => make.send()}>
        {words.template.make(domain.domain)}
      </Button>
    </div>
  );
}

/** In which trials a drawn code was not read. */
function useTrial(url: string, { svg, isOld }: ReturnType<typeof useQrPicture>) {
  const trial = useQuery({
    queryKey: ['qr', 'trial', svg],
    staleTime: Infinity,
    enabled: svg !== undefined && !isOld,
    retry: false,
    queryFn: () => tryOut(svg ?? '', `${url}?qr=1`),
  });
  return { failed: trial.data, isTrying: trial.isFetching || isOld };
}
