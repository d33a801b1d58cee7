/** What is known against the packages of a release. */
export type Audit =
  | { isAsked: true; advisories: { package: string; severity: string; title: string }[] }
  /** The registry could not be asked; nothing is known. */
  | { isAsked: false; reason: string };

interface Answer {
  vulnerabilities?: Record<string, { severity: string; via: (string | { title: string; severity: string })[] }>;
  message?: string;
  error?: { summary?: string };
}

/** Reads what `npm audit --json` printed. An answer that is none counts as not asked, never as clean. */
export function readAudit(stdout: string): Audit {
  let answer: Answer;
  try {
    answer = JSON.parse(stdout) as Answer;
  } catch {
    return { isAsked: false, reason: 'npm audit printed no JSON' };
  }
  if (answer.vulnerabilities === undefined) {
    return { isAsked: false, reason: answer.message ?? answer.error?.summary ?? 'no reason was given' };
  }
  const advisories = Object.entries(answer.vulnerabilities).flatMap(([name, { via }]) =>
    // A name alone says that a dependency of the package is concerned, which has an entry of its own.
    via.flatMap((cause) =>
      typeof cause === 'string' ? [] : [{ package: name, severity: cause.severity, title: cause.title }],
    ),
  );
  return { isAsked: true, advisories };
}
