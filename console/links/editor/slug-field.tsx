import { useQuery } from '@tanstack/react-query';
import { lengths } from '#core/lengths.ts';
import { checkLinkQuery } from '#console/api/links/links.ts';
import { IconButton } from '#console/ui/button.tsx';
import { useDelayed } from '#console/ui/browser/delayed.ts';
import { TextField } from '#console/ui/form/field.tsx';
import { useSpaceIssue } from './destination/spaces.ts';
import type { SectionProps } from './form.tsx';
import { useEditorWords } from './words.ts';

const restMs = 300;

/** The end of the short link, and whether it is free on the domain. */
export function SlugField({ draft, onChange, issues, saved }: SectionProps) {
  const words = useEditorWords();
  const spaceIssue = useSpaceIssue();
  const slug = useDelayed(draft.slug.trim(), restMs);
  const isOwn = slug === saved?.slug;
  const place = draft.domain === '' || saved !== undefined ? {} : { domain: draft.domain };
  const { data } = useQuery({ ...checkLinkQuery({ slug, ...place }, saved?.id), enabled: slug !== '' && !isOwn });
  const isCurrent = slug === draft.slug.trim() && slug !== '' && !isOwn;
  const found = isCurrent ? data : undefined;
  const problem = found?.issues.find(({ path }) => path === 'slug')?.message;
  const error =
    issues.slug ?? spaceIssue(draft.slug) ?? problem ?? (found?.isSlugFree === false ? words.slugTaken : undefined);
  const printed = saved !== undefined && saved.currentClicks > 0 && draft.slug.trim() !== saved.slug;
  const isFree = found?.isSlugFree === true;
  const hint = [isFree ? words.slugFree : '', printed ? words.slugChanged : ''].filter(Boolean).join(' ');
  return (
    <TextField
      label={words.slug}
      value={draft.slug}
      onChange={(next) => onChange({ slug: next })}
      onBlur={() => onChange({ slug: draft.slug.trim() })}
      error={error}
      hint={<span role="status">{hint === '' && saved === undefined ? words.slugHint : hint}</span>}
      before={<span className="quiet">/</span>}
      after={
        <IconButton
          icon="refresh"
          size="small"
          label={words.suggestSlug}
          onPress={() => onChange({ slug: suggestSlug() })}
        />
      }
      maxLength={lengths.slug}
    />
  );
}

// Without letters that look or sound like others.
const consonants = 'bdfgkmnprstvz';
const vowels = 'aeiou';
const syllables = 4;

/** A slug that can be read out: four syllables of a consonant and a vowel, one of some 17 million. */
function suggestSlug(): string {
  const random = crypto.getRandomValues(new Uint32Array(syllables * 2));
  return Array.from(random, (number, index) => {
    const letters = index % 2 === 0 ? consonants : vowels;
    return letters[number % letters.length];
  }).join('');
}
