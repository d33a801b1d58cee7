import type { FileKind } from '#core/files/kinds.ts';
import type { StoredFileItem } from '#console/api/links/files.ts';
import { nouns } from '#console/i18n/nouns.ts';
import { createWords, plural } from '#console/i18n/words.ts';
import type { ColorName } from './labels/colors.ts';

const en = {
  folder: {
    title: nouns.en.folders,
    search: 'Search folders',
    make: 'New folder',
    emptyTitle: 'No folder has this name',
    noneTitle: 'No folder yet',
    noneText: 'A folder holds the links of a campaign or a customer. Each link is in exactly one.',
    deleteTitle: (name: string) => `Delete the folder “${name}”?`,
    deleteText: (count: number, target: string) =>
      count === 0
        ? 'It holds no links.'
        : plural('en', count, {
            one: `It holds # link, which moves to the folder “${target}” and goes on redirecting.`,
            other: `It holds # links, which move to the folder “${target}” and go on redirecting.`,
          }),
    deleted: (name: string) => `Deleted the folder “${name}”`,
    notDeleted: (name: string) => `The folder “${name}” was not deleted.`,
    made: (name: string) => `Made the folder “${name}”`,
    taken: 'A folder with this name exists already.',
    merge: 'Merge into another folder',
    mergeTitle: (name: string) => `Merge the folder “${name}”`,
    mergeText: (count: number) =>
      count === 0
        ? 'It holds no links, so it is only deleted.'
        : plural('en', count, {
            one: '# link moves to the other folder. Then this one is deleted.',
            other: '# links move to the other folder, archived ones too. Then this one is deleted.',
          }),
    mergeInto: 'Other folder',
    mergeChoose: 'Choose a folder of the list.',
    mergeStopped: (name: string) => `Stopped. The folder “${name}” stays with the links that are still in it.`,
    mergeFailed: (count: number) =>
      plural('en', count, {
        one: '# link could not be changed, so the folder stays. The reason:',
        other: '# links could not be changed, so the folder stays. The first reason:',
      }),
    notMerged: (name: string) => `The folder “${name}” was not merged.`,
  },
  tag: {
    title: nouns.en.tags,
    search: 'Search tags',
    make: 'New tag',
    emptyTitle: 'No tag has this name',
    noneTitle: 'No tag yet',
    noneText: 'Tags group links across folders. Each link can have several.',
    deleteTitle: (name: string) => `Delete the tag “${name}”?`,
    deleteText: (count: number, _target: string) =>
      count === 0
        ? 'No link has it.'
        : plural('en', count, {
            one: '# link loses it and goes on redirecting.',
            other: '# links lose it and go on redirecting.',
          }),
    deleted: (name: string) => `Deleted the tag “${name}”`,
    notDeleted: (name: string) => `The tag “${name}” was not deleted.`,
    made: (name: string) => `Made the tag “${name}”`,
    taken: 'A tag with this name exists already.',
    merge: 'Merge into another tag',
    mergeTitle: (name: string) => `Merge the tag “${name}”`,
    mergeText: (count: number) =>
      count === 0
        ? 'No link has it, so it is only deleted.'
        : plural('en', count, {
            one: '# link gets the other tag in its place. Then this one is deleted.',
            other: '# links get the other tag in its place, archived ones too. Then this one is deleted.',
          }),
    mergeInto: 'Other tag',
    mergeChoose: 'Choose a tag of the list.',
    mergeStopped: (name: string) => `Stopped. The tag “${name}” stays with the links that still have it.`,
    mergeFailed: (count: number) =>
      plural('en', count, {
        one: '# link could not be changed, so the tag stays. The reason:',
        other: '# links could not be changed, so the tag stays. The first reason:',
      }),
    notMerged: (name: string) => `The tag “${name}” was not merged.`,
  },
  color: 'Colour',
  ownColor: 'Own colour',
  otherColor: 'Another colour',
  colors: {
    blue: 'Blue',
    green: 'Green',
    red: 'Red',
    amber: 'Amber',
    violet: 'Violet',
    cyan: 'Cyan',
    pink: 'Pink',
    olive: 'Olive',
    gray: 'Grey',
  } satisfies Record<ColorName, string>,
  nearColor: (name: string, code: string) => `near ${name} (${code})`,
  made: 'Made',
  rename: 'Rename or recolour',
  renameOf: (name: string) => `Rename or recolour ${name}`,
  showLinks: 'Show its links',
  isDefault: 'Default',
  keepsName: 'The default folder keeps its name.',
  staysDefault: 'The default folder cannot be deleted.',
  notSaved: (name: string) => `“${name}” was not saved.`,
  found: (count: number) => plural('en', count, { one: '# found', other: '# found' }),
  counting: 'Counting its links…',
  mergeNow: 'Merge',
  merging: (done: number, all: number) => `${done.toLocaleString('en')} of ${all.toLocaleString('en')} links`,
  merged: (from: string, into: string) => `Merged “${from}” into “${into}”`,
  files: {
    title: nouns.en.files,
    takenDown: 'Taken down by the operator',
    search: 'Search files',
    kind: 'Use',
    allKinds: 'All uses',
    kinds: { 'meta-tag': 'Picture of previews', 'qr-code': 'Logo of QR codes' } satisfies Record<FileKind, string>,
    emptyTitle: 'No file fits this search',
    noneTitle: 'No file yet',
    noneText:
      'Pictures of link previews and logos of QR codes. A file that nothing uses for 7 days is removed by itself.',
    uses: ({ links, domains }: NonNullable<StoredFileItem['uses']>) =>
      links + domains === 0
        ? 'Not used'
        : `In ${[
            ...(links === 0 ? [] : [plural('en', links, { one: '# link', other: '# links' })]),
            ...(domains === 0 ? [] : [plural('en', domains, { one: '# domain', other: '# domains' })]),
          ].join(' and ')}`,
    upload: 'Choose files',
    drop: 'Drop pictures here, paste them, or choose them.',
    bounds: (formats: string, size: string) => `${formats}, at most ${size} each.`,
    wrongType: (formats: string) => `This is none of ${formats}.`,
    tooLarge: (size: string) => `This is larger than ${size}.`,
    isEmpty: 'This file is empty.',
    waiting: 'Waits',
    uploading: 'Being uploaded',
    uploaded: 'Uploaded',
    uploads: 'Uploads',
    uploadsDone: (done: number, all: number) => `${done} of ${all} uploaded`,
    tooMany: (most: number) => `At most ${most} files at once; the others were left out.`,
    remove: (name: string) => `Take ${name} off this list`,
    copy: (name: string) => `Copy the address of ${name}`,
    open: (name: string) => `Open ${name}`,
    deleteOf: (name: string) => `Delete ${name}`,
    deleteText:
      'Its address stops answering; browsers that have loaded it may show it for another day. A file that a link or a domain uses is kept.',
    deleted: (name: string) => `Deleted ${name}`,
    notDeleted: (name: string) => `${name} was not deleted.`,
    inUse: 'A short link or a domain uses it: choose another picture there first.',
  },
};

const de: typeof en = {
  folder: {
    title: nouns.de.folders,
    search: 'Ordner suchen',
    make: 'Neuer Ordner',
    emptyTitle: 'Kein Ordner heißt so',
    noneTitle: 'Noch kein Ordner',
    noneText: 'Ein Ordner enthält die Links einer Kampagne oder eines Kunden. Jeder Link ist in genau einem.',
    deleteTitle: (name) => `Den Ordner „${name}“ löschen?`,
    deleteText: (count, target) =>
      count === 0
        ? 'Er enthält keine Links.'
        : plural('de', count, {
            one: `Er enthält # Link, der in den Ordner „${target}“ kommt und weiterleitet wie bisher.`,
            other: `Er enthält # Links, die in den Ordner „${target}“ kommen und weiterleiten wie bisher.`,
          }),
    deleted: (name) => `Ordner „${name}“ gelöscht`,
    notDeleted: (name) => `Der Ordner „${name}“ wurde nicht gelöscht.`,
    made: (name) => `Ordner „${name}“ angelegt`,
    taken: 'Einen Ordner mit diesem Namen gibt es schon.',
    merge: 'Mit anderem Ordner vereinen',
    mergeTitle: (name) => `Den Ordner „${name}“ vereinen`,
    mergeText: (count) =>
      count === 0
        ? 'Er enthält keine Links, darum wird er nur gelöscht.'
        : plural('de', count, {
            one: '# Link kommt in den anderen Ordner. Danach wird dieser gelöscht.',
            other: '# Links kommen in den anderen Ordner, auch archivierte. Danach wird dieser gelöscht.',
          }),
    mergeInto: 'Anderer Ordner',
    mergeChoose: 'Wählen Sie einen Ordner der Liste.',
    mergeStopped: (name) => `Angehalten. Der Ordner „${name}“ bleibt mit den Links, die noch darin sind.`,
    mergeFailed: (count) =>
      plural('de', count, {
        one: '# Link ließ sich nicht ändern, darum bleibt der Ordner. Der Grund:',
        other: '# Links ließen sich nicht ändern, darum bleibt der Ordner. Der erste Grund:',
      }),
    notMerged: (name) => `Der Ordner „${name}“ wurde nicht vereint.`,
  },
  tag: {
    title: nouns.de.tags,
    search: 'Tags suchen',
    make: 'Neues Tag',
    emptyTitle: 'Kein Tag heißt so',
    noneTitle: 'Noch kein Tag',
    noneText: 'Tags fassen Links über Ordner hinweg zusammen. Ein Link kann mehrere haben.',
    deleteTitle: (name) => `Das Tag „${name}“ löschen?`,
    deleteText: (count, _target) =>
      count === 0
        ? 'Kein Link hat es.'
        : plural('de', count, {
            one: '# Link verliert es und leitet weiter wie bisher.',
            other: '# Links verlieren es und leiten weiter wie bisher.',
          }),
    deleted: (name) => `Tag „${name}“ gelöscht`,
    notDeleted: (name) => `Das Tag „${name}“ wurde nicht gelöscht.`,
    made: (name) => `Tag „${name}“ angelegt`,
    taken: 'Ein Tag mit diesem Namen gibt es schon.',
    merge: 'Mit anderem Tag vereinen',
    mergeTitle: (name) => `Das Tag „${name}“ vereinen`,
    mergeText: (count) =>
      count === 0
        ? 'Kein Link hat es, darum wird es nur gelöscht.'
        : plural('de', count, {
            one: '# Link bekommt stattdessen das andere Tag. Danach wird dieses gelöscht.',
            other: '# Links bekommen stattdessen das andere Tag, auch archivierte. Danach wird dieses gelöscht.',
          }),
    mergeInto: 'Anderes Tag',
    mergeChoose: 'Wählen Sie ein Tag der Liste.',
    mergeStopped: (name) => `Angehalten. Das Tag „${name}“ bleibt bei den Links, die es noch haben.`,
    mergeFailed: (count) =>
      plural('de', count, {
        one: '# Link ließ sich nicht ändern, darum bleibt das Tag. Der Grund:',
        other: '# Links ließen sich nicht ändern, darum bleibt das Tag. Der erste Grund:',
      }),
    notMerged: (name) => `Das Tag „${name}“ wurde nicht vereint.`,
  },
  color: 'Farbe',
  ownColor: 'Eigene Farbe',
  otherColor: 'Andere Farbe',
  colors: {
    blue: 'Blau',
    green: 'Grün',
    red: 'Rot',
    amber: 'Bernstein',
    violet: 'Violett',
    cyan: 'Cyan',
    pink: 'Pink',
    olive: 'Oliv',
    gray: 'Grau',
  },
  nearColor: (name, code) => `nahe ${name} (${code})`,
  made: 'Angelegt',
  rename: 'Umbenennen oder umfärben',
  renameOf: (name) => `${name} umbenennen oder umfärben`,
  showLinks: 'Die Links zeigen',
  isDefault: 'Standard',
  keepsName: 'Der Standardordner behält seinen Namen.',
  staysDefault: 'Der Standardordner kann nicht gelöscht werden.',
  notSaved: (name) => `„${name}“ wurde nicht gespeichert.`,
  found: (count) => plural('de', count, { one: '# gefunden', other: '# gefunden' }),
  counting: 'Die Links werden gezählt…',
  mergeNow: 'Vereinen',
  merging: (done, all) => `${done.toLocaleString('de')} von ${all.toLocaleString('de')} Links`,
  merged: (from, into) => `„${from}“ mit „${into}“ vereint`,
  files: {
    title: nouns.de.files,
    takenDown: 'Vom Betreiber gesperrt',
    search: 'Dateien suchen',
    kind: 'Zweck',
    allKinds: 'Alle Zwecke',
    kinds: { 'meta-tag': 'Bild von Vorschauen', 'qr-code': 'Logo von QR-Codes' },
    emptyTitle: 'Keine Datei passt zur Suche',
    noneTitle: 'Noch keine Datei',
    noneText:
      'Bilder von Link-Vorschauen und Logos von QR-Codes. Was 7 Tage lang nichts verwendet, wird von selbst entfernt.',
    uses: ({ links, domains }) =>
      links + domains === 0
        ? 'Nicht benutzt'
        : `In ${[
            ...(links === 0 ? [] : [plural('de', links, { one: '# Link', other: '# Links' })]),
            ...(domains === 0 ? [] : [plural('de', domains, { one: '# Domain', other: '# Domains' })]),
          ].join(' und ')}`,
    upload: 'Dateien wählen',
    drop: 'Bilder hier ablegen, einfügen oder auswählen.',
    bounds: (formats, size) => `${formats}, je höchstens ${size}.`,
    wrongType: (formats) => `Das ist keines von ${formats}.`,
    tooLarge: (size) => `Das ist größer als ${size}.`,
    isEmpty: 'Diese Datei ist leer.',
    waiting: 'Wartet',
    uploading: 'Wird hochgeladen',
    uploaded: 'Hochgeladen',
    uploads: 'Hochgeladenes',
    uploadsDone: (done, all) => `${done} von ${all} hochgeladen`,
    tooMany: (most) => `Höchstens ${most} Dateien auf einmal; die übrigen blieben weg.`,
    remove: (name) => `${name} aus dieser Liste nehmen`,
    copy: (name) => `Adresse von ${name} kopieren`,
    open: (name) => `${name} öffnen`,
    deleteOf: (name) => `${name} löschen`,
    deleteText:
      'Ihre Adresse antwortet nicht mehr; Browser, die sie geladen haben, können sie noch einen Tag lang zeigen. Was ein Link oder eine Domain verwendet, bleibt.',
    deleted: (name) => `${name} gelöscht`,
    notDeleted: (name) => `${name} wurde nicht gelöscht.`,
    inUse: 'Ein Kurzlink oder eine Domain verwendet sie: Wählen Sie dort zuerst ein anderes Bild.',
  },
};

/** Words of the pages of folders, tags and files. */
export const useOrganizeWords = createWords({ en, de });
