import { createWords, plural } from '#console/i18n/words.ts';

const en = {
  title: 'Several links at once',
  back: 'To the list',
  addresses: 'Addresses, one a line',
  addressesHint: 'Behind an address its slug can stand, after a space: example.com/spring spring',
  shared: 'For all of them',
  preview: 'What will be made',
  destination: 'Destination',
  shortLink: 'Short link',
  state: 'State',
  random: 'made for you',
  isReady: 'Ready',
  made: 'Made',
  problems: {
    address: 'This is no web address.',
    cells: 'More than an address and a slug stand in this line.',
    slugTwice: 'A line above has the same slug.',
  },
  tooMany: (most: number) => `At most ${most.toLocaleString('en')} lines at once:`,
  byImport: 'import longer lists as a CSV file',
  make: (count: number) =>
    count === 0 ? 'Make links' : plural('en', count, { one: 'Make # link', other: 'Make # links' }),
  copyAll: 'Copy all short links',
  copied: (count: number) => plural('en', count, { one: '# short link copied', other: '# short links copied' }),
  done: (count: number) => plural('en', count, { one: '# link made', other: '# links made' }),
  failed: (count: number) => plural('en', count, { one: '# link was not made', other: '# links were not made' }),
  failedHint: 'The reason stands beside each. Lines that are made are not made again.',
};

const de: typeof en = {
  title: 'Mehrere Links auf einmal',
  back: 'Zur Liste',
  addresses: 'Adressen, eine je Zeile',
  addressesHint: 'Hinter einer Adresse kann nach einem Leerzeichen ihr Slug stehen: example.com/spring spring',
  shared: 'Für alle',
  preview: 'Was angelegt wird',
  destination: 'Ziel',
  shortLink: 'Kurzlink',
  state: 'Zustand',
  random: 'wird gewählt',
  isReady: 'Bereit',
  made: 'Angelegt',
  problems: {
    address: 'Das ist keine Webadresse.',
    cells: 'In dieser Zeile steht mehr als eine Adresse und ein Slug.',
    slugTwice: 'Eine Zeile darüber hat denselben Slug.',
  },
  tooMany: (most) => `Höchstens ${most.toLocaleString('de')} Zeilen auf einmal:`,
  byImport: 'längere Listen als CSV-Datei importieren',
  make: (count) =>
    count === 0 ? 'Links anlegen' : plural('de', count, { one: '# Link anlegen', other: '# Links anlegen' }),
  copyAll: 'Alle Kurzlinks kopieren',
  copied: (count) => plural('de', count, { one: '# Kurzlink kopiert', other: '# Kurzlinks kopiert' }),
  done: (count) => plural('de', count, { one: '# Link angelegt', other: '# Links angelegt' }),
  failed: (count) =>
    plural('de', count, { one: '# Link wurde nicht angelegt', other: '# Links wurden nicht angelegt' }),
  failedHint: 'Der Grund steht bei jedem. Angelegte Zeilen werden nicht noch einmal angelegt.',
};

export const useManyWords = createWords({ en, de });
