import type { DisabledReason } from '#core/webhooks/standing.ts';
import { createWords, plural } from '#console/i18n/words.ts';

const en = {
  turnOn: 'Turn on',
  recover: 'Send missed events',
  offTitle: 'What happened',
  offLast: (answer: string) => `The last attempt failed. ${answer}.`,
  offBy: {
    consecutive_failures: 'The webhook was turned off, after 18 failures in a row.',
    gone: 'The webhook was turned off, because the answer 410 says that the address is gone.',
    turned_off: 'A person turned the webhook off.',
  } satisfies Record<DisabledReason, string> as Record<DisabledReason, string>,
  offHeld: (count: number) =>
    plural('en', count, {
      one: '# delivery is held back; none is lost.',
      other: '# deliveries are held back; none is lost.',
    }),
  mend: 'Two steps to mend it',
  first: 'When your server works again, turn the webhook on. New events are sent from then on.',
  second: 'Send what it missed.',
  turnOnFirst: 'Turn the webhook on first.',
  heldStill: (count: number) =>
    plural('en', count, {
      one: '# delivery is held back from the time when the webhook was off.',
      other: '# deliveries are held back from the time when the webhook was off.',
    }),
};

const de: typeof en = {
  turnOn: 'Einschalten',
  recover: 'Versäumtes senden',
  offTitle: 'Was geschah',
  offLast: (answer) => `Der letzte Versuch schlug fehl. ${answer}.`,
  offBy: {
    consecutive_failures: 'Der Webhook wurde nach 18 Fehlschlägen in Folge ausgeschaltet.',
    gone: 'Der Webhook wurde ausgeschaltet, weil die Antwort 410 sagt, dass es die Adresse nicht mehr gibt.',
    turned_off: 'Eine Person hat den Webhook ausgeschaltet.',
  },
  offHeld: (count) =>
    plural('de', count, {
      one: '# Zustellung wird zurückgehalten; keine ist verloren.',
      other: '# Zustellungen werden zurückgehalten; keine ist verloren.',
    }),
  mend: 'Zwei Schritte, um das zu beheben',
  first: 'Wenn Ihr Server wieder arbeitet, schalten Sie den Webhook ein. Von da an werden neue Ereignisse gesendet.',
  second: 'Senden Sie das Versäumte.',
  turnOnFirst: 'Schalten Sie den Webhook zuerst ein.',
  heldStill: (count) =>
    plural('de', count, {
      one: '# Zustellung wird zurückgehalten, aus der Zeit, in der der Webhook aus war.',
      other: '# Zustellungen werden zurückgehalten, aus der Zeit, in der der Webhook aus war.',
    }),
};

/** Words of a webhook that is off, and of what is held since. */
export const useTroubleWords = createWords({ en, de });
