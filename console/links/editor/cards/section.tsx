import { useMemo } from 'react';
import { lengths } from '#core/lengths.ts';
import type { SectionProps } from '#console/links/editor/form.tsx';
import { compileForm } from '#console/links/editor/preview/compile-form.ts';
import { useThreatPolicy } from '#console/links/threat-policy.ts';
import { presets, simulate } from '#console/links/editor/preview/simulate.ts';
import { useDestinationPage } from '#console/links/editor/destination/use-destination-page.ts';
import { TextArea, TextField } from '#console/ui/form/field.tsx';
import { useLateView } from '#console/ui/browser/focus.ts';
import { useNow } from '#console/ui/browser/now.ts';
import { Notice } from '#console/ui/page/states.tsx';
import { Card } from './card.tsx';
import { contentOf } from './content.ts';
import { cutters, networks } from './networks.ts';
import { PictureField } from './picture.tsx';
import { useCardWords } from './words.ts';
import css from './cards.module.css';
import layout from '#console/ui/page/layout.module.css';

/** What networks show of the link: its fields, and the cards that come of the edge's own answer to a preview builder. */
export default function CardsSection({ draft, onChange, issues, saved, host }: SectionProps & { host: string }) {
  useLateView('section-cards');
  const words = useCardWords();
  const nowMs = useNow().getTime();
  const policy = useThreatPolicy(saved);
  const { link } = useMemo(() => compileForm(draft, saved, policy), [draft, saved, policy]);
  const hasPassword = draft.password === undefined ? saved?.hasPassword === true : draft.password !== null;
  const page = useDestinationPage(draft.destination);
  const content =
    link === undefined
      ? undefined
      : contentOf(
          simulate(link, {
            visitor: presets.whatsApp,
            nowMs,
            isAdmitted: false,
            currentClicks: saved?.currentClicks ?? 0,
          }).decision,
          host,
          page,
        );
  const lengthOf = (text: string, bound: 'longestTitle' | 'longestDescription'): string => {
    const names = cutters(text, bound);
    const length = words.length(Array.from(text).length);
    return names.length === 0 ? length : `${length}, ${words.cutBy(names.join(', '))}`;
  };
  return (
    <div className={layout.stack}>
      <p className="quiet">{words.intro}</p>
      {hasPassword && (
        <Notice tone="warn" icon="lock">
          {words.unused}
        </Notice>
      )}
      <TextField
        label={words.title}
        value={draft.metaTitle}
        onChange={(metaTitle) => onChange({ metaTitle })}
        error={issues['metaTags.title']}
        hint={lengthOf(draft.metaTitle, 'longestTitle')}
        placeholder={page?.title ?? ''}
        maxLength={lengths.cardTitle}
        isDisabled={hasPassword}
      />
      <TextArea
        label={words.description}
        value={draft.metaDescription}
        onChange={(metaDescription) => onChange({ metaDescription })}
        error={issues['metaTags.description']}
        hint={lengthOf(draft.metaDescription, 'longestDescription')}
        placeholder={page?.description ?? ''}
        rows={2}
        maxLength={lengths.cardDescription}
        isDisabled={hasPassword}
      />
      <PictureField
        imageId={draft.metaImageId}
        onChange={(metaImageId) => onChange({ metaImageId })}
        error={issues['metaTags.imageId']}
        refusal={hasPassword ? words.unused : undefined}
      />
      {content !== undefined && (
        <section aria-label={words.cards}>
          <p role="status">{words.sources[content.source]}</p>
          <div className={css.cards}>
            {networks.map((network) => (
              <Card key={network.id} network={network} content={content} />
            ))}
          </div>
        </section>
      )}
    </div>
  );
}
