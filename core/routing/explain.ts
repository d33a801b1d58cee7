import type { OsType } from '#core/links/draft.ts';
import type { CompiledLink, CompiledRule } from './compiled/compiled-link.ts';
import { comparableLanguage } from './languages.ts';
import {
  chooseDestination,
  decideCap,
  decideCloak,
  decideDeepLink,
  decideExpired,
  decideInactive,
  decidePassword,
  decidePreview,
  decideThreat,
  type Decision,
  locate,
  matches,
  matchesCountry,
  matchesLanguage,
  matchesOs,
  type RoutingInput,
  type Visitor,
} from './decide.ts';

type StepName = (typeof gates)[number][0] | 'rules' | 'preview' | 'deepLink' | 'cloak' | 'redirect';

/** What a step came to: it let the visit pass, gave the answer, or another one gave it before. */
interface Step {
  readonly name: StepName;
  readonly outcome: 'passed' | 'decided' | 'notReached';
}

const conditions = {
  osTypes: matchesOs,
  countries: matchesCountry,
  languages: matchesLanguage,
} as const satisfies Partial<Record<keyof CompiledRule, (rule: CompiledRule, visitor: Visitor) => boolean>>;

type Condition = keyof typeof conditions;
const conditionNames = Object.keys(conditions) as Condition[];

/** A decision, and how it came about. */
export interface Explanation {
  /** The one that `decide` gives. */
  readonly decision: Decision;
  /** Every step, in order. */
  readonly steps: readonly Step[];
  /** For each rule, in order, the conditions that do not hold for the visitor; none: it matches. */
  readonly failedConditions: readonly (readonly Condition[])[];
  /** Index of the first rule that matches; null: the link's own destination. */
  readonly chosenRule: number | null;
  /** The Location header of the destination, also where another step than the redirect decides. */
  readonly location: string;
}

const gates = [
  ['active', decideInactive],
  ['expiry', decideExpired],
  ['password', decidePassword],
  ['threats', decideThreat],
  ['cap', decideCap],
] as const;

/** Decides the visit of a link as `decide` does, by the same steps, and tells what each came to. For people: visitors get `decide`. */
export function explain(input: RoutingInput & { readonly link: CompiledLink }): Explanation {
  const { link, visitor } = input;
  const destination = chooseDestination(link, visitor);
  const location = locate(link, destination, visitor);
  const chosen = link.rules.findIndex((rule) => matches(rule, visitor));
  const answers: (readonly [StepName, Decision | undefined])[] = [
    ...gates.map(([name, step]) => [name, step(link, input)] as const),
    ['rules', undefined],
    ['preview', decidePreview(link, visitor, location, destination.url)],
    ['deepLink', decideDeepLink(destination, visitor, location)],
    ['cloak', decideCloak(link, destination, visitor, location)],
    ['redirect', { kind: 'redirect', location, url: destination.url }],
  ];
  const decidedAt = answers.findIndex(([, answer]) => answer !== undefined);
  return {
    decision: answers[decidedAt]![1]!,
    steps: answers.map(([name], index) => ({
      name,
      outcome: index < decidedAt ? 'passed' : index === decidedAt ? 'decided' : 'notReached',
    })),
    failedConditions: link.rules.map((rule) => conditionNames.filter((name) => !conditions[name](rule, visitor))),
    chosenRule: chosen === -1 ? null : chosen,
    location,
  };
}

/** A visitor as a person describes one. */
export interface ImaginedVisitor {
  kind: 'person' | 'previewer' | 'bot';
  /** ISO 3166-1 alpha-2; null: unknown. */
  country: string | null;
  /** `xx` or `xx-YY`; null: unknown. */
  language: string | null;
  osType: OsType;
  /** Whether the visitor scans the QR code, which is a query of its own. */
  scansQrCode: boolean;
  /** Query of the visited address, without the question mark. */
  query: string;
}

/** The facts about an imagined visitor that routing depends on. */
export function toVisitor({ kind, scansQrCode, query, country, language, osType }: ImaginedVisitor): Visitor {
  return {
    query: [...(scansQrCode ? ['qr=1'] : []), ...(query === '' ? [] : [query])].join('&'),
    country,
    language: language === null ? null : comparableLanguage(language),
    osType,
    isBot: kind !== 'person',
    isPreviewer: kind === 'previewer',
  };
}
