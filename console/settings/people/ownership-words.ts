import { createWords } from '#console/i18n/words.ts';

const en = {
  transfer: 'Transfer the ownership',
  transferHint: 'Another person becomes the owner, and you become an admin.',
  to: 'New owner',
  choose: 'Name or e-mail',
  nobody: 'No person of this organization has this name or e-mail.',
  noOther: 'You are alone here: invite a person first.',
  transferTitle: (name: string, organization: string) => `Make ${name} the owner of ${organization}?`,
  transferText: 'You become an admin, and only an owner can make you one again.',
  transferNow: 'Transfer',
  transferred: (name: string) => `${name} is the owner now`,
  notTransferred: 'The ownership was not transferred.',
  remove: 'Delete the organization',
  removeHint:
    'Links stop at once, also printed ones. Statistics, files, domains, webhooks and keys are removed for good.',
  lost: (links: string, domains: string) =>
    `This deletes ${links} and ${domains}, with all clicks. It cannot be undone.`,
  links: (count: number, text: string) => (count === 1 ? '1 link' : `${text} links`),
  domains: (count: number, text: string) => (count === 1 ? '1 domain' : `${text} domains`),
  removeNow: 'Delete for good',
  notRemoved: 'The organization was not deleted.',
  onlyOwners: 'Only an owner may do this.',
};

const de: typeof en = {
  transfer: 'Eigentum weitergeben',
  transferHint: 'Eine andere Person wird Eigentümer, und Sie werden Admin.',
  to: 'Neuer Eigentümer',
  choose: 'Name oder E-Mail',
  nobody: 'Niemand in dieser Organisation hat diesen Namen oder diese E-Mail.',
  noOther: 'Sie sind hier allein: Laden Sie zuerst eine Person ein.',
  transferTitle: (name, organization) => `${name} zum Eigentümer von ${organization} machen?`,
  transferText: 'Sie werden Admin, und nur ein Eigentümer kann Sie wieder dazu machen.',
  transferNow: 'Weitergeben',
  transferred: (name) => `${name} ist jetzt Eigentümer`,
  notTransferred: 'Das Eigentum wurde nicht weitergegeben.',
  remove: 'Organisation löschen',
  removeHint:
    'Links enden sofort, auch gedruckte. Statistiken, Dateien, Domains, Webhooks und Schlüssel werden für immer entfernt.',
  lost: (links, domains) =>
    `Das löscht ${links} und ${domains}, mit allen Klicks. Es lässt sich nicht rückgängig machen.`,
  links: (count, text) => (count === 1 ? '1 Link' : `${text} Links`),
  domains: (count, text) => (count === 1 ? '1 Domain' : `${text} Domains`),
  removeNow: 'Endgültig löschen',
  notRemoved: 'Die Organisation wurde nicht gelöscht.',
  onlyOwners: 'Das darf nur ein Eigentümer.',
};

/** Sentences of handing on and deleting an organization. */
export const useOwnershipWords = createWords({ en, de });
