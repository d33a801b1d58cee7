/** Of links that are saved all the same: what the API remarks about them. */
export const warningsGerman: Readonly<Record<string, string>> = {
  'The destination refuses to be shown in a frame: visitors are redirected instead.':
    'Das Ziel lässt sich nicht in einem Rahmen zeigen: Besucher werden stattdessen weitergeleitet.',
  'This rule never matches: this installation has no GeoIP database (GEOIP_DB).':
    'Diese Regel greift nie: Diese Installation hat keine GeoIP-Datenbank (GEOIP_DB).',
  'Modules of this type cannot be told apart in a picture of less than {} pixels.':
    'Module dieser Form lassen sich in einem Bild unter {} Pixeln nicht unterscheiden.',
  'Beside dark surroundings scanners do not find a code with a quiet zone of less than {} modules.':
    'In dunkler Umgebung finden Scanner einen Code mit einer Ruhezone unter {} Modulen nicht.',
  'A logo larger than {} leaves too little error correction for dirt and scratches.':
    'Ein Bild über {} lässt zu wenig Fehlerkorrektur für Schmutz und Kratzer.',
  'Scanners find a code by its corners, and do not find corners of separate dots.':
    'Scanner finden einen Code an seinen Ecken, und Ecken aus einzelnen Tupfen finden sie nicht.',
  'Scanners do not find round corners in a picture of less than {} pixels.':
    'In einem Bild unter {} Pixeln finden Scanner runde Ecken nicht.',
  'Its contrast with the background is below {}:1, which scanners do not read.':
    'Der Kontrast zum Grund liegt unter {}:1, das lesen Scanner nicht.',
  'It is lighter than the background: some scanners read only dark codes on light ground.':
    'Der Code ist heller als der Grund: Manche Scanner lesen nur dunkle Codes auf hellem Grund.',
};
