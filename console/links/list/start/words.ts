import { createWords } from '#console/i18n/words.ts';

const en = {
  next: 'What next',
  hideNext: 'Do not show this again',
  steps: {
    domain: {
      title: 'Use your own domain',
      text: 'Short links with your name instead of ours, with a certificate by itself.',
    },
    import: {
      title: 'Bring your links along',
      text: 'A file of Bitly, Dub, Short.io, Rebrandly or any CSV becomes links here.',
    },
    key: { title: 'Call the API', text: 'An API key, with a curl command that works at once.' },
    webhook: { title: 'Hear of clicks', text: 'Your server is called when a link is clicked or changed.' },
  },
};

const de: typeof en = {
  next: 'Wie es weitergeht',
  hideNext: 'Nicht mehr anzeigen',
  steps: {
    domain: {
      title: 'Eigene Domain nutzen',
      text: 'Kurzlinks mit Ihrem Namen statt unserem, das Zertifikat kommt von selbst.',
    },
    import: {
      title: 'Links mitbringen',
      text: 'Eine Datei von Bitly, Dub, Short.io, Rebrandly oder jede CSV wird hier zu Links.',
    },
    key: { title: 'Die API aufrufen', text: 'Ein API-Schlüssel mit einem curl-Befehl, der sofort geht.' },
    webhook: {
      title: 'Von Klicks erfahren',
      text: 'Ihr Server wird gerufen, wenn ein Link geklickt oder geändert wird.',
    },
  },
};

export const useStepWords = createWords({ en, de });
