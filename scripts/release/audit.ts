/** Known advisories of the packages of a release. */
type Audit =
  | { isAsked: true; advisories: { package: string; severity: string; title: string }[] }
  /** Whether the registry did not answer. */
  | { isAsked: false; reason: string };

interface Answer {
  vulnerabilities?: Record<string, { severity: string; via: (string | { title: string; severity: string })[] }>;
  message?: string;
  error?: { summary?: string };
}

/** Parses the output of `npm audit --json`. Unreadable output counts as no answer, never as clean. */
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
    // A string names an affected dependency, which has an entry of its own.
    via.flatMap((cause) =>
      typeof cause === 'string' ? [] : [{ package: name, severity: cause.severity, title: cause.title }],
    ),
  );
  return { isAsked: true, advisories };
}
