import { createWords } from '#console/i18n/words.ts';

const en = {
  title: 'The secret of this webhook',
  secret: 'Secret of the webhook',
  copiedSecret: 'the secret',
  copiedProgram: (language: string) => `the program in ${language}`,
  once: 'Copy the secret now: no later page shows it.',
  verify: 'Verify on your server',
  verifyText:
    'The signature proves that a request is from Waymark. Check the bytes of the body as they arrived, before any framework reads JSON from them.',
  languages: 'Programming language',
  program: (language: string) => `Program in ${language} that verifies a request`,
  done: 'I have kept the secret',
};

const de: typeof en = {
  title: 'Das Geheimnis dieses Webhooks',
  secret: 'Geheimnis des Webhooks',
  copiedSecret: 'Das Geheimnis ist',
  copiedProgram: (language) => `Das Programm in ${language} ist`,
  once: 'Kopieren Sie das Geheimnis jetzt: keine spätere Seite zeigt es.',
  verify: 'Auf Ihrem Server prüfen',
  verifyText:
    'Die Signatur beweist, dass eine Anfrage von Waymark kommt. Prüfen Sie die Bytes des Inhalts, wie sie ankamen, bevor ein Framework daraus JSON liest.',
  languages: 'Programmiersprache',
  program: (language) => `Programm in ${language}, das eine Anfrage prüft`,
  done: 'Das Geheimnis ist verwahrt',
};

export const useSecretWords = createWords({ en, de });
