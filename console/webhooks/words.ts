import type { DeliveredType } from '#core/webhooks/events.ts';
import { nouns } from '#console/i18n/nouns.ts';
import { createWords, plural } from '#console/i18n/words.ts';

const en = {
  back: 'All webhooks',
  noneTitle: 'No webhook yet',
  noneText: 'A webhook sends each event, such as a new link or a click, to your server at once.',
  needsPlan: 'Webhooks need the premium plan.',
  planFull: (count: number) => `Your plan allows ${count} webhooks.`,
  notReadable: 'Your role does not show webhooks',
  found: (count: number) => plural('en', count, { one: '# webhook', other: '# webhooks' }),
  gone: 'This webhook does not exist, or no longer.',
  add: 'New webhook',
  notCreated: 'The webhook was not created.',
  url: 'Address',
  urlHint: 'An https address that your server answers and that can be reached from the internet',
  nameHint: 'Shown in this console alone. Empty: the host',
  events: 'Events',
  allEvents: 'All events',
  noEvents: 'Choose at least one event.',
  groups: { link: nouns.en.links, domain: nouns.en.domains, import: nouns.en.imports, webhook: nouns.en.webhooks },
  types: {
    'link.created': 'Link created',
    'link.updated': 'Link changed',
    'link.deleted': 'Link deleted',
    'link.clicked': 'Link clicked',
    'link.flagged': 'Danger found where a link leads',
    'link.expired': 'End of a link reached',
    'link.capped': 'Most clicks of a link reached',
    'domain.verified': 'Domain verified',
    'domain.lost': 'Domain no longer verified',
    'import.completed': 'Import ended',
    'webhook.disabled': 'Another webhook turned off',
    'webhook.test': 'Test',
  } satisfies Record<DeliveredType, string>,
  health: {
    well: 'Healthy',
    unused: 'No delivery yet',
    failed: 'The last attempt failed',
    retrying: (count: number) =>
      count === 0 ? 'Retrying' : plural('en', count, { one: 'Retrying: # waits', other: 'Retrying: # wait' }),
    failing: (when: string | undefined) => (when === undefined ? 'Failing' : `Failing: probe ${when}`),
    paused: (count: number) =>
      count === 0 ? 'Paused' : plural('en', count, { one: 'Paused: # waits', other: 'Paused: # wait' }),
  },
  mark: {
    text: 'Fails',
    label: (name: string, others: number) =>
      others === 0
        ? `Fails: webhook ${name}. Show its deliveries`
        : plural('en', others, {
            one: `Fails: webhook ${name} and # other. Show its deliveries`,
            other: `Fails: webhook ${name} and # others. Show its deliveries`,
          }),
  },
  sendAgain: 'Send again',
  sentAgain: (count: number) =>
    plural('en', count, { one: 'The delivery is sent again', other: '# deliveries are sent again' }),
  notSentAgain: (count: number) =>
    plural('en', count, { one: 'The delivery was not sent again.', other: '# deliveries were not sent again.' }),
  mustBeOn: 'The webhook is off. Turn it on first.',
};

const de: typeof en = {
  back: 'Alle Webhooks',
  noneTitle: 'Noch kein Webhook',
  noneText: 'Ein Webhook sendet jedes Ereignis, etwa einen neuen Link oder einen Klick, sofort an Ihren Server.',
  needsPlan: 'Webhooks gehören zum Premium-Tarif.',
  planFull: (count) => `Ihr Tarif erlaubt ${count} Webhooks.`,
  notReadable: 'Ihre Rolle zeigt keine Webhooks',
  found: (count) => plural('de', count, { one: '# Webhook', other: '# Webhooks' }),
  gone: 'Diesen Webhook gibt es nicht oder nicht mehr.',
  add: 'Neuer Webhook',
  notCreated: 'Der Webhook wurde nicht angelegt.',
  url: 'Adresse',
  urlHint: 'Eine https-Adresse Ihres Servers, die aus dem Internet erreichbar ist',
  nameHint: 'Nur in dieser Konsole zu sehen. Leer: der Host',
  events: 'Ereignisse',
  allEvents: 'Alle Ereignisse',
  noEvents: 'Wählen Sie mindestens ein Ereignis.',
  groups: { link: nouns.de.links, domain: nouns.de.domains, import: nouns.de.imports, webhook: nouns.de.webhooks },
  types: {
    'link.created': 'Link angelegt',
    'link.updated': 'Link geändert',
    'link.deleted': 'Link gelöscht',
    'link.clicked': 'Link angeklickt',
    'link.flagged': 'Gefahr am Ziel eines Links gefunden',
    'link.expired': 'Ende eines Links erreicht',
    'link.capped': 'Höchstzahl der Klicks erreicht',
    'domain.verified': 'Domain bestätigt',
    'domain.lost': 'Domain nicht mehr bestätigt',
    'import.completed': 'Import beendet',
    'webhook.disabled': 'Anderer Webhook ausgeschaltet',
    'webhook.test': 'Testereignis',
  },
  health: {
    well: 'In Ordnung',
    unused: 'Noch keine Zustellung',
    failed: 'Der letzte Versuch schlug fehl',
    retrying: (count) =>
      count === 0
        ? 'Neue Versuche'
        : plural('de', count, { one: 'Neue Versuche: # wartet', other: 'Neue Versuche: # warten' }),
    failing: (when) => (when === undefined ? 'Gestört' : `Gestört: Probe ${when}`),
    paused: (count) =>
      count === 0 ? 'Pausiert' : plural('de', count, { one: 'Pausiert: # wartet', other: 'Pausiert: # warten' }),
  },
  mark: {
    text: 'Fehler',
    label: (name, others) =>
      others === 0
        ? `Fehler: Webhook ${name}. Seine Zustellungen zeigen`
        : plural('de', others, {
            one: `Fehler: Webhook ${name} und # weiterer. Seine Zustellungen zeigen`,
            other: `Fehler: Webhook ${name} und # weitere. Seine Zustellungen zeigen`,
          }),
  },
  sendAgain: 'Erneut senden',
  sentAgain: (count) =>
    plural('de', count, { one: 'Die Zustellung wird erneut gesendet', other: '# Zustellungen werden erneut gesendet' }),
  notSentAgain: (count) =>
    plural('de', count, {
      one: 'Die Zustellung wurde nicht erneut gesendet.',
      other: '# Zustellungen wurden nicht erneut gesendet.',
    }),
  mustBeOn: 'Der Webhook ist aus. Schalten Sie ihn zuerst ein.',
};

export const useWebhookWords = createWords({ en, de });
