import { createWords } from '#console/i18n/words.ts';

const en = {
  intro: 'What networks show where the link is posted. Empty fields leave that to the page it leads to.',
  unused:
    'The link asks for a password, so networks show nothing of it. Without the password they show the card again.',
  title: 'Title of the card',
  description: 'Description of the card',
  length: (count: number) => `${count} characters`,
  cutBy: (names: string) => `cut by ${names}`,
  picture: 'Picture',
  noPicture: 'None of its own',
  chosen: 'The chosen picture',
  choose: 'Choose a file',
  drop: 'Drop a picture here, or paste one.',
  dropLabel: 'Place for a picture',
  crop: 'Part of the picture that is shown',
  zoom: 'Enlarge',
  across: 'Left to right',
  down: 'Top to bottom',
  use: 'Use this part',
  cancel: 'Another picture',
  notUploaded: 'The picture was not uploaded.',
  unreadable: 'This file cannot be read as a picture.',
  small: (width: number, height: number) =>
    `The picture has ${width} × ${height} pixels. Below 1200 × 630 it gets blurred.`,
  cards: 'Social preview',
  sources: {
    own: 'Networks show the card of this link.',
    destination: 'This link has no card of its own: networks show what its destination says.',
    unread: 'This link has no card of its own. What its destination says could not be read.',
    hidden: 'Networks learn nothing of the destination: they meet the same page as a visitor would.',
  },
};

const de: typeof en = {
  intro: 'Was Netzwerke zeigen, wo der Link steht. Leere Felder überlassen das der Seite, zu der er führt.',
  unused:
    'Der Link fragt nach einem Passwort, deshalb zeigen Netzwerke nichts von ihm. Ohne das Passwort zeigen sie die Karte wieder.',
  title: 'Titel der Karte',
  description: 'Beschreibung der Karte',
  length: (count) => `${count} Zeichen`,
  cutBy: (names) => `gekürzt von ${names}`,
  picture: 'Bild',
  noPicture: 'Kein eigenes',
  chosen: 'Das gewählte Bild',
  choose: 'Datei wählen',
  drop: 'Ein Bild hierher ziehen oder einfügen.',
  dropLabel: 'Platz für ein Bild',
  crop: 'Ausschnitt, der gezeigt wird',
  zoom: 'Vergrößern',
  across: 'Links nach rechts',
  down: 'Oben nach unten',
  use: 'Diesen Ausschnitt verwenden',
  cancel: 'Anderes Bild',
  notUploaded: 'Das Bild wurde nicht hochgeladen.',
  unreadable: 'Diese Datei lässt sich nicht als Bild lesen.',
  small: (width, height) => `Das Bild hat ${width} × ${height} Pixel. Unter 1200 × 630 wird es unscharf.`,
  cards: 'Vorschau in Netzwerken',
  sources: {
    own: 'Netzwerke zeigen die Karte dieses Links.',
    destination: 'Dieser Link hat keine eigene Karte: Netzwerke zeigen, was sein Ziel sagt.',
    unread: 'Dieser Link hat keine eigene Karte. Was sein Ziel sagt, ließ sich nicht lesen.',
    hidden: 'Netzwerke erfahren nichts vom Ziel: Sie finden dieselbe Seite wie ein Besucher.',
  },
};

export const useCardWords = createWords({ en, de });
