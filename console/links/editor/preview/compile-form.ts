import { refusalWords } from '#console/api/refusal.ts';
import { createLinkSchema, type LinkDraft } from '#core/links/draft.ts';
import { toIssues } from '#core/errors/issues.ts';
import { compileDraft } from '#core/routing/compiled/compile-draft.ts';
import type { CompiledLink } from '#core/routing/compiled/compiled-link.ts';
import type { ThreatPolicy } from '#core/threats/policy.ts';
import type { ThreatType } from '#core/threats/types.ts';
import { bodyOf, type Draft } from '#console/links/editor/draft.ts';

/** What the saved link adds to a draft of it. */
export interface SavedFacts {
  hasPassword: boolean;
  isArchived: boolean;
  isTakenDown: boolean;
  currentClicks: number;
  /** What visitors of flagged destinations get; undefined until it is read. */
  threatPolicy: ThreatPolicy | undefined;
  /** Known threats by web address. */
  threatTypes: ReadonlyMap<string, readonly ThreatType[] | null>;
}

/** The link that a form would make. */
interface FormLink {
  /** Undefined while the destination cannot be led to. */
  link: CompiledLink | undefined;
  /** Index in the form of each rule of the link: rules that are not finished are left out. */
  ruleIndexes: readonly number[];
  /** The API's messages by dotted path, before anything is sent. */
  issues: Readonly<Record<string, string>>;
}

/**
 * Compiles what stands in the form, as the edge would after it was saved. Fields that the API would refuse are left out, so that the
 * rest can be tried while a person types.
 */
export function compileForm(draft: Draft, saved?: SavedFacts): FormLink {
  const body = bodyOf(draft);
  const whole = createLinkSchema.safeParse(body);
  if (whole.success)
    return { link: compile(whole.data, saved), ruleIndexes: draft.rules.map((_rule, index) => index), issues: {} };

  const wrong = whole.error.issues.map(({ path }) => path);
  const issues: Record<string, string> = {};
  for (const { path, message } of toIssues(whole.error.issues).issues) issues[path] ??= refusalWords(message);
  const wrongRules = new Set(
    wrong.flatMap(([field, index]) => (field === 'rules' && typeof index === 'number' ? [index] : [])),
  );
  const wrongFields = new Set(
    wrong.flatMap(([field, index]) => (field === 'rules' && typeof index === 'number' ? [] : [field])),
  );
  const ruleIndexes = wrongFields.has('rules')
    ? []
    : draft.rules.flatMap((_rule, index) => (wrongRules.has(index) ? [] : [index]));
  const rules = Array.isArray(body.rules) ? (body.rules as unknown[]) : [];
  const kept = Object.fromEntries(Object.entries(body).filter(([field]) => !wrongFields.has(field)));
  const rest = createLinkSchema.safeParse({ ...kept, rules: ruleIndexes.map((index) => rules[index]) });
  return { link: rest.success ? compile(rest.data, saved) : undefined, ruleIndexes, issues };
}

function compile(draft: LinkDraft, saved: SavedFacts | undefined): CompiledLink {
  const link = compileDraft(draft, {
    hasPassword: saved?.hasPassword ?? false,
    threatPolicy: saved?.threatPolicy ?? 'warn',
    threatTypesOf: (url) => saved?.threatTypes.get(url) ?? [],
  });
  const { isArchived = false, isTakenDown = false } = saved ?? {};
  return { ...link, isActive: link.isActive && !isArchived && !isTakenDown, isTakenDown };
}
