import type { Texts } from './texts.ts';

/** The pages in English. */
export const en: Texts = {
  bare: { title: 'Waymark', text: 'This address serves short links. Add the name of one to be taken where it leads.' },
  badRequest: { title: 'Bad request', text: 'The server could not make sense of this request.' },
  notFound: {
    title: 'Link not found',
    text: 'There is no link at this address. Check that it is spelled as it was given to you.',
  },
  methodNotAllowed: { title: 'Method not allowed', text: 'Links can be visited with GET and HEAD.' },
  timeout: { title: 'Request timed out', text: 'The request took too long to arrive.' },
  gone: { title: 'Link expired', text: 'This link has led somewhere before. It is no longer in use.' },
  tooManyMisses: {
    title: 'Too many requests',
    text: 'Many links that do not exist were asked for from your network. Please try again in a minute.',
  },
  tooManyTries: {
    title: 'Too many attempts',
    text: 'The password of this link was tried too often. Please wait a while before you try again.',
  },
  headersTooLarge: {
    title: 'Request too large',
    text: 'The headers of this request are larger than this server accepts.',
  },
  failed: { title: 'Something went wrong', text: 'The server could not answer this request. It has been noted.' },
  unavailable: {
    title: 'Not available right now',
    text: 'This link cannot be opened at the moment. Please try again shortly.',
  },
  password: {
    title: 'Protected link',
    text: 'This link opens with a password.',
    label: 'Password',
    button: 'Open',
    wrong: 'That is not the password. Please try again.',
  },
  deepLink: {
    title: 'Opening the app',
    text: 'If nothing happens, choose for yourself:',
    app: 'Open in the app',
    web: 'Continue in the browser',
  },
  preview: { link: 'Continue' },
};
