import { lengths } from '#core/lengths.ts';
import { usePrefetchQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { allFoldersQuery, usableDomainsQuery } from '#console/api/links/labels.ts';
import { defaultDomainOf, servingDomainsOf, type UsableDomain } from '#console/api/links/usable-domains.ts';
import { templateListQuery } from '#console/api/links/utm-templates.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { Button } from '#console/ui/button.tsx';
import { TextField } from '#console/ui/form/field.tsx';
import { ComboBox } from '#console/ui/form/list-field.tsx';
import { changeAndFocus, focusFirst } from '#console/ui/browser/focus.ts';
import { Icon, type IconName } from '#console/ui/icon.tsx';
import { Notice, Skeleton } from '#console/ui/page/states.tsx';
import type { ShortLink } from '#console/api/types.ts';
import { countSet } from './compare.ts';
import { areLeftOf, type Draft, utmNames } from './draft.ts';
import { completed } from './destination/destination.ts';
import { DestinationFacts } from './destination/destination-facts.tsx';
import { BehaviourSection } from './sections/behaviour.tsx';
import { CampaignSection } from './sections/campaign.tsx';
import { LimitsSection } from './sections/limits.tsx';
import { OrganizeSection } from './sections/organize.tsx';
import { useSpaceIssue } from './destination/spaces.ts';
import { SlugField } from './slug-field.tsx';
import { useEditorWords } from './words.ts';
import { hostOfTyped } from '#console/domains/typed-host.ts';
import { readCampaign } from './destination/campaign-of.ts';
import { late } from '#console/ui/page/late.tsx';
import css from './editor.module.css';
import layout from '#console/ui/page/layout.module.css';

// Both bring the rules of the edge with them, which the first fields do without.
const Preview = late(async () => (await import('./preview/preview.tsx')).default, 'box', <Skeleton rows={4} />);
const RulesSection = late(async () => (await import('./rules/section.tsx')).default, 'box', <Skeleton rows={2} />);
const CardsSection = late(async () => (await import('./cards/section.tsx')).default, 'box', <Skeleton rows={4} />);

export interface SectionProps {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
  /** Messages by the dotted path of the API's field. */
  issues: Readonly<Record<string, string>>;
  /** The saved link that is edited; undefined for a new one. */
  saved?: ShortLink | undefined;
}

interface Section {
  /** Its name in the words of the editor, too. */
  id: 'organize' | 'campaign' | 'rules' | 'cards' | 'limits' | 'behaviour';
  icon: IconName;
  /** Fields of the draft that it edits, which are counted while it is folded. */
  fields: readonly (keyof Draft)[];
  /** Paths of the API's fields that it edits: a section with a wrong field opens. Default: its fields. */
  paths?: readonly string[];
  /** `host`: that of the short link. */
  Body: (props: SectionProps & { host: string }) => ReactNode;
}

const sections: readonly Section[] = [
  {
    id: 'organize',
    icon: 'folder',
    fields: ['folderId', 'tags', 'externalId', 'notes'],
    Body: OrganizeSection,
  },
  { id: 'campaign', icon: 'template', fields: utmNames, Body: CampaignSection },
  { id: 'rules', icon: 'route', fields: ['rules'], Body: RulesSection },
  {
    id: 'cards',
    icon: 'image',
    paths: ['metaTags'],
    fields: ['metaTitle', 'metaDescription', 'metaImageId'],
    Body: CardsSection,
  },
  {
    id: 'limits',
    icon: 'calendar',
    paths: ['expiresAt', 'expiredUrl', 'maxClicks', 'password', 'isActive'],
    fields: ['expiresAt', 'expiredUrl', 'maxClicks', 'password'],
    Body: LimitsSection,
  },
  {
    id: 'behaviour',
    icon: 'settings',
    paths: [
      'cloaking',
      'forwardQuery',
      'destination.iosDeepLink',
      'destination.androidDeepLink',
      'destination.enableDeepLinking',
    ],
    fields: ['cloaking', 'forwardQuery', 'enableDeepLinking'],
    Body: BehaviourSection,
  },
];

// Paths of the API's fields that no section edits.
const openPaths: ReadonlySet<string> = new Set(['destination.value', 'slug', 'domain', 'title']);

/** The fields of a link: destination and short link are open, all else unfolds. */
export function EditorForm(props: SectionProps) {
  const { draft, onChange, issues, saved } = props;
  const words = useEditorWords();
  const spaceIssue = useSpaceIssue();
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const { data: domains = [] } = useQuery(usableDomainsQuery);
  // Their lists open as soon as their sections do.
  usePrefetchQuery(templateListQuery());
  const { data: folders } = useQuery(allFoldersQuery);
  const defaultFolderId = folders?.find(({ isDefault }) => isDefault)?.id;
  const isPasted = useRef(false);
  const form = useRef<HTMLDivElement>(null);
  const known = useRef(issues);
  // What is wrong may be far from the button that saves.
  useEffect(() => {
    const paths = Object.keys(issues);
    const isCorrected = areLeftOf(issues, known.current);
    known.current = issues;
    // Typing goes on where the person corrects one of several fields.
    if (paths.length === 0 || isCorrected || form.current === null) return undefined;
    // Their sections stay open once they are corrected.
    setOpened((before) => new Set([...before, ...sections.filter((one) => isOf(one, paths)).map(({ id }) => id)]));
    return focusFirst(form.current, '[data-problems], [aria-invalid="true"]');
  }, [issues]);
  const wrong = Object.keys(issues);
  const isOpen = (section: Section): boolean => opened.has(section.id) || isOf(section, wrong);
  const others = wrong.filter((path) => !openPaths.has(path) && !sections.some((section) => isOf(section, [path])));
  const primary = defaultDomainOf(domains)?.domain ?? '';
  const host = useShownHost(draft.domain === '' ? primary : draft.domain, domains);
  return (
    <div className={css.columns}>
      <div className={layout.stack} ref={form}>
        {others.length > 0 && (
          <Notice tone="bad" icon="warning">
            <p data-problems="" tabIndex={-1}>
              {words.problems}
            </p>
            <ul>
              {others.map((path) => (
                <li key={path}>
                  {path} {issues[path]}
                </li>
              ))}
            </ul>
          </Notice>
        )}
        <TextField
          label={words.destination}
          value={draft.destination}
          onChange={(destination) => {
            onChange(isPasted.current ? readCampaign(destination, draft) : { destination });
            isPasted.current = false;
          }}
          onPaste={() => void (isPasted.current = true)}
          onBlur={() => draft.destination.trim() !== '' && onChange({ destination: completed(draft.destination) })}
          error={issues['destination.value'] ?? issues.destination ?? spaceIssue(draft.destination)}
          hint={<DestinationFacts destination={draft.destination} />}
          placeholder="https://example.com/spring"
          autoFocus
          isMarkedOnFocus={saved !== undefined}
        />
        <div className={css.short}>
          <ComboBox
            label={words.domain}
            text={draft.domain === '' ? primary : draft.domain}
            onText={(domain) => onChange({ domain: domain === primary ? '' : hostOfTyped(domain) })}
            refusal={saved === undefined ? undefined : words.domainStays}
            error={issues.domain}
            choices={servingDomainsOf(domains).map(({ id, domain, isPrimary, createdAt }) => ({
              id,
              label: domain,
              detail: isPrimary ? words.primary : createdAt === null ? words.platform : undefined,
            }))}
          />
          <SlugField {...props} />
        </div>
        <TextField
          label={words.title}
          hint={words.titleHint}
          value={draft.title}
          onChange={(title) => onChange({ title })}
          error={issues.title}
          maxLength={lengths.linkTitle}
        />
        <div className={layout.actions} role="group">
          {sections.map((section) => {
            const count = countSet(section.fields, draft, { saved, defaultFolderId });
            return (
              <Button
                key={section.id}
                size="small"
                icon={isOpen(section) ? 'chevronDown' : section.icon}
                aria-expanded={isOpen(section)}
                onPress={() => {
                  const next = new Set(opened);
                  if (next.delete(section.id)) setOpened(next);
                  else
                    changeAndFocus(
                      () => setOpened(next.add(section.id)),
                      `#section-${section.id} :is(input, textarea, select, button)`,
                    );
                }}
              >
                {words[section.id]}
                {count > 0 && <span className={css.count}>{words.set(count)}</span>}
              </Button>
            );
          })}
        </div>
        {sections.filter(isOpen).map((section) => (
          <section key={section.id} id={`section-${section.id}`} className={css.section} aria-label={words[section.id]}>
            <h3>
              <Icon name={section.icon} /> {words[section.id]}
            </h3>
            <section.Body {...props} host={host} />
          </section>
        ))}
      </div>
      <Preview draft={draft} domain={host} saved={saved} />
    </div>
  );
}

/** The host of short links as visitors see it: with the port of the installation, if any. */
function useShownHost(name: string, domains: readonly UsableDomain[]): string {
  const { installation } = useSession();
  const edge = new URL(installation.edgeUrl);
  const isPlatform = domains.some(({ domain, createdAt }) => domain === name && createdAt === null);
  return isPlatform ? edge.host : `${name}${edge.port === '' ? '' : `:${edge.port}`}`;
}

/** Whether a section edits one of the paths. */
function isOf({ fields, paths = fields }: Section, wrong: readonly string[]): boolean {
  return wrong.some((path) => paths.some((one) => path === one || path.startsWith(`${one}.`)));
}
