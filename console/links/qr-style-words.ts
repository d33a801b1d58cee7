const en = {
  dots: 'Dots',
  cornerSquare: 'Corners, outside',
  cornerDot: 'Corners, inside',
  shapes: {
    square: 'Square',
    dots: 'Dots',
    dot: 'Circle',
    rounded: 'Rounded',
    'extra-rounded': 'Very rounded',
    classy: 'Classy',
    'classy-rounded': 'Classy, rounded',
  },
  color: 'Colour',
  gradient: 'Gradient',
  cornerColor: 'Corner colour',
  ground: 'Background',
  margin: 'Quiet zone, in modules',
  logo: 'Logo',
  logoSize: 'Size of the logo',
};

const de: typeof en = {
  dots: 'Punkte',
  cornerSquare: 'Ecken außen',
  cornerDot: 'Ecken innen',
  shapes: {
    square: 'Quadrat',
    dots: 'Tupfen',
    dot: 'Kreis',
    rounded: 'Gerundet',
    'extra-rounded': 'Stark gerundet',
    classy: 'Klassisch',
    'classy-rounded': 'Klassisch, gerundet',
  },
  color: 'Farbe',
  gradient: 'Verlauf',
  cornerColor: 'Eckenfarbe',
  ground: 'Hintergrund',
  margin: 'Ruhezone, in Modulen',
  logo: 'Bild in der Mitte',
  logoSize: 'Größe des Bildes',
};

/** Names of the parts of a QR code's style, by language: for its designer, and for the history of a link. */
export const qrStyleWords = { en, de };
