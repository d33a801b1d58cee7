import { uuidv7 } from '#core/lib/uuid.ts';
import type { Mailer } from '#core/lib/mail.ts';
import type { Site } from '#core/links/site.ts';
import type { ThreatPolicy } from '#core/threats/policy.ts';
import type { ThreatType } from '#core/threats/types.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { endThreatMail, takeThreatMail, type MailedThreat } from '#db/threats/threat-mail.ts';

const threatsInOneMail = 50;

const words: Record<ThreatType, string> = {
  MALWARE: 'malware',
  SOCIAL_ENGINEERING: 'deception, such as phishing',
  UNWANTED_SOFTWARE: 'unwanted software',
  SOCIAL_ENGINEERING_EXTENDED_COVERAGE: 'probably deception, such as phishing',
};

/**
 * Sends one mail to the owner of an organization about new threats at its links and domains. A crash between the mail and its
 * note sends the mail again, with the same Message-ID.
 * @returns whether there are more threats to report.
 * @throws Error where the mail server refuses the mail.
 */
export async function sendThreatMail(
  em: EntityManager,
  mailer: Mailer,
  organizationId: string,
  site: Site,
): Promise<boolean> {
  const mail = await takeThreatMail(em, organizationId, { mailId: uuidv7(), limit: threatsInOneMail });
  if (mail !== null && mail.email !== null && mail.threats.length > 0) {
    const { mailId, organization, threatPolicy, email, threats } = mail;
    const hosts = new Set(threats.map(({ url }) => hostOf(url)));
    await mailer.send({
      to: email,
      subject: hosts.size === 1 ? `Danger found at ${[...hosts][0]}` : `Danger found at ${hosts.size} sites`,
      text: textOf(organization, threatPolicy, threats, site),
      messageId: `threats-${mailId}@waymark`,
    });
  }
  return endThreatMail(em, organizationId);
}

const policyLines: Record<ThreatPolicy, string> = {
  warn: 'Visitors of the links are warned before they go there.',
  pass: 'Waymark still sends visitors there, as your policy says.',
  block: 'The links are blocked for visitors.',
};

function textOf(
  organization: string,
  threatPolicy: ThreatPolicy,
  threats: readonly MailedThreat[],
  site: Site,
): string {
  // Short lines: mail programs show them as they are.
  return [
    `Links or domains of ${organization} lead to addresses`,
    'that are now known as dangerous:',
    '',
    ...threats.flatMap((threat) => [...describe(threat, site), '']),
    policyLines[threatPolicy],
    'If a site is yours, have it cleaned; otherwise turn its',
    'links off, or let them lead elsewhere:',
    '  PATCH /short-link/{id}',
    '  {"isActive": false}',
    'Waymark checks every address again at least once a day, and',
    'shows a cleaned one as clean.',
    '',
  ].join('\n');
}

function describe({ url, threatTypes, links, shown, domains }: MailedThreat, site: Site): string[] {
  const more = links - shown.length;
  return [
    withoutQuery(url),
    `  Found: ${threatTypes.map((type) => words[type]).join('; ')}`,
    ...shown.map(({ domain, slug }) => `  Link: ${site.originUrl(domain, slug)}`),
    ...(more > 0 ? [`  and ${more} more ${more === 1 ? 'link' : 'links'}`] : []),
    ...domains.map((domain) => `  Fallback of ${domain}`),
  ];
}

/**
 * The address without its query, which may hold secrets, and defanged, so that neither a mail program nor a reader opens it.
 */
function withoutQuery(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol.replace('http', 'hxxp')}//${host.replaceAll('.', '[.]')}${pathname}`;
}

function hostOf(url: string): string {
  return new URL(url).host.replaceAll('.', '[.]');
}
