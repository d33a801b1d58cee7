import { createWords } from '#console/i18n/words.ts';

const en = {
  pause: 'Pause',
  resume: 'Resume',
  paused: 'Paused: deliveries wait',
  resumed: 'Resumed: what waited is sent',
  turnOn: 'Turn on',
  turnOff: 'Turn off',
  turnedOn: 'Turned on',
  turnedOff: 'Turned off',
  notChanged: 'The webhook was not changed.',
  rotate: 'New secret',
  recover: 'Send missed events',
  delete: 'Delete the webhook',
};

const de: typeof en = {
  pause: 'Pausieren',
  resume: 'Fortsetzen',
  paused: 'Pausiert: Zustellungen warten',
  resumed: 'Fortgesetzt: Wartendes wird gesendet',
  turnOn: 'Einschalten',
  turnOff: 'Ausschalten',
  turnedOn: 'Eingeschaltet',
  turnedOff: 'Ausgeschaltet',
  notChanged: 'Der Webhook wurde nicht geändert.',
  rotate: 'Neues Geheimnis',
  recover: 'Versäumtes senden',
  delete: 'Webhook löschen',
};

export const useActionWords = createWords({ en, de });
