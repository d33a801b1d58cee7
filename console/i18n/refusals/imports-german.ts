/** Of rows of imports that are refused as a whole, or by what other columns of them say. */
export const importsGerman: Readonly<Record<string, string>> = {
  'the short URL names none: it is the address of the domain itself':
    'Die Kurz-URL nennt keinen: Sie ist die Adresse der Domain selbst',
  'this row names none, and the link would get another one than it had':
    'Diese Zeile nennt keinen, und der Link bekäme einen anderen, als er hatte',
  'the short URL of this row ends otherwise; leave one of the two columns out':
    'Die Kurz-URL dieser Zeile endet anders. Lassen Sie eine der beiden Spalten weg',
  'the columns of this row name different domains; leave all but one of them out':
    'Die Spalten dieser Zeile nennen verschiedene Domains. Lassen Sie alle bis auf eine weg',
  'this link is the one of the domain itself; set it at the domain':
    'Dieser Link ist der der Domain selbst. Setzen Sie ihn bei der Domain',
  'lies in the future': 'Liegt in der Zukunft',
  'is a list that cannot be read; write names with | or commas in between, or JSON like ["one","two"]':
    'Ist eine Liste, die sich nicht lesen lässt. Schreiben Sie Namen mit | oder Kommas dazwischen, oder JSON wie ["eins","zwei"]',
  'a password or secret is not imported, and without it this link would stand open; make it anew':
    'Ein Passwort oder Geheimnis wird nicht importiert, und ohne es stünde dieser Link offen. Legen Sie ihn neu an',
  'the short URL of this row is a list that cannot be read':
    'Die Kurz-URL dieser Zeile ist eine Liste, die sich nicht lesen lässt',
  'this row names {} short URLs, and a link has one: write a row for each':
    'Diese Zeile nennt {} Kurz-URLs, und ein Link hat eine: Schreiben Sie für jede eine Zeile',
  'makes the link too large: {} bytes with all that belongs to it, {} at most':
    'Macht den Link zu groß: {} Bytes mit allem, was zu ihm gehört, höchstens {}',
};
