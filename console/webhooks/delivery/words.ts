import { createWords } from '#console/i18n/words.ts';

const en = {
  gone: 'This delivery does not exist, or no longer: deliveries are kept for 30 days.',
  back: (name: string) => `Deliveries of ${name}`,
  event: 'Event',
  eventId: 'Id of the event',
  made: 'Made',
  attempts: 'Attempts',
  noAttempts: 'No attempt has begun.',
  number: (count: number) => `Attempt ${count}`,
  duration: (ms: string) => `${ms} ms`,
  planned: (when: string) => `Planned ${when}`,
  laterOn: (when: string) => `Where the attempts before fail: about ${when}`,
  axis: 'Time from the first attempt to the last',
  probes: 'The webhook fails: attempts wait until a single probe succeeds, so these times are the earliest.',
  paused: 'The webhook is paused: attempts wait until it is resumed.',
  answer: 'Answer of the server',
  body: 'Body as sent',
  copiedBody: 'the body',
  bodyText: 'Every attempt sends these bytes.',
  formatted: 'Formatted',
  asSent: 'As sent',
};

const de: typeof en = {
  gone: 'Diese Zustellung gibt es nicht oder nicht mehr: Zustellungen werden 30 Tage aufbewahrt.',
  back: (name) => `Zustellungen von ${name}`,
  event: 'Ereignis',
  eventId: 'ID des Ereignisses',
  made: 'Entstanden',
  attempts: 'Versuche',
  noAttempts: 'Noch hat kein Versuch begonnen.',
  number: (count) => `Versuch ${count}`,
  duration: (ms) => `${ms} ms`,
  planned: (when) => `Geplant ${when}`,
  laterOn: (when) => `Wenn die Versuche davor fehlschlagen: etwa ${when}`,
  axis: 'Zeit vom ersten Versuch bis zum letzten',
  probes:
    'Der Webhook ist gestört: Versuche warten, bis eine einzelne Probe gelingt; die Zeiten sind also die frühesten.',
  paused: 'Der Webhook ist pausiert: Versuche warten, bis er fortgesetzt wird.',
  answer: 'Antwort des Servers',
  body: 'Gesendeter Inhalt',
  copiedBody: 'Der Inhalt ist',
  bodyText: 'Jeder Versuch sendet diese Bytes.',
  formatted: 'Geordnet',
  asSent: 'Wie gesendet',
};

export const useDeliveryWords = createWords({ en, de });
