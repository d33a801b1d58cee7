import { refusalWords } from '#console/api/refusal.ts';
import type { ShortLink } from '#console/api/types.ts';
import { createLinkSchema, type LinkDraft } from '#core/links/draft.ts';
import { toIssues } from '#core/errors/issues.ts';
import { compileDraft } from '#core/routing/compiled/compile-draft.ts';
import type { CompiledLink } from '#core/routing/compiled/compiled-link.ts';
import type { ThreatPolicy } from '#core/threats/policy.ts';
import { bodyOf, type Draft } from '#console/links/editor/draft.ts';

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
 * @param policy what visitors of flagged destinations get; undefined until it is read.
 */
export function compileForm(draft: Draft, saved?: ShortLink, policy?: ThreatPolicy): FormLink {
  const body = bodyOf(draft);
  const whole = createLinkSchema.safeParse(body);
  if (whole.success)
    return {
      link: compile(whole.data, saved, policy),
      ruleIndexes: [...draft.rules.keys()],
      issues: {},
    };

  const issues: Record<string, string> = {};
  for (const { path, message } of toIssues(whole.error.issues).issues) issues[path] ??= refusalWords(message);
  const wrongRules = new Set<number>();
  const wrongFields = new Set<PropertyKey | undefined>();
  for (const { path } of whole.error.issues) {
    const [field, index] = path;
    if (field === 'rules' && typeof index === 'number') wrongRules.add(index);
    else wrongFields.add(field);
  }
  const ruleIndexes = wrongFields.has('rules') ? [] : [...draft.rules.keys()].filter((index) => !wrongRules.has(index));
  const rules = Array.isArray(body.rules) ? (body.rules as unknown[]) : [];
  const kept = Object.fromEntries(Object.entries(body).filter(([field]) => !wrongFields.has(field)));
  const rest = createLinkSchema.safeParse({ ...kept, rules: ruleIndexes.map((index) => rules[index]) });
  return { link: rest.success ? compile(rest.data, saved, policy) : undefined, ruleIndexes, issues };
}

function compile(draft: LinkDraft, saved: ShortLink | undefined, policy: ThreatPolicy = 'warn'): CompiledLink {
  const known = saved === undefined ? [] : [saved, ...saved.rules].map(({ destination }) => destination);
  const link = compileDraft(draft, {
    hasPassword: saved?.hasPassword ?? false,
    threatPolicy: policy,
    threatTypesOf: (url) => known.find(({ value }) => value === url)?.threatTypes ?? [],
  });
  const isTakenDown = (saved?.takenDown ?? null) !== null;
  return { ...link, isActive: link.isActive && saved?.isArchived !== true && !isTakenDown, isTakenDown };
}
