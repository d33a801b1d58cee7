import type { Texts } from './texts.ts';

const dates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const numbers = new Intl.NumberFormat('en-GB');

export const en: Texts = {
  bare: { title: 'Waymark', text: 'This address serves short links. Add the name of one to be taken where it leads.' },
  customBare: {
    title: 'Short links',
    text: 'This address serves short links. Add the name of one to be taken where it leads.',
  },
  date: (ms) => dates.format(ms),
  count: (value) => numbers.format(value),
  reported: { title: 'Thank you', text: 'Your report was received. The staff of this service will look at it.' },
  badRequest: { title: 'Bad request', text: 'The server could not make sense of this request.' },
  notFound: {
    title: 'Link not found',
    text: 'There is no link at this address. Check that it is spelled as it was given to you.',
  },
  methodNotAllowed: { title: 'Method not allowed', text: 'Links can be visited with GET and HEAD.' },
  timeout: { title: 'Request timed out', text: 'The request took too long to arrive.' },
  expired: {
    title: 'This link has ended',
    text: (date) => `This link ended on ${date}. Ask the person who gave it to you for a new one.`,
  },
  capped: {
    title: 'This link is used up',
    text: (visits, written) =>
      visits === 1
        ? 'This link was made for one visit, and has had it.'
        : `This link was made for ${written} visits, and has had them.`,
  },
  blocked: {
    title: 'This link is blocked',
    text: 'It leads to a site that is known as dangerous, so it does not open.',
  },
  warning: {
    title: 'Warning: this link may be dangerous',
    leadsTo: 'It leads to',
    threats: {
      MALWARE: 'Malware was found there: software that may harm your device or steal your data.',
      SOCIAL_ENGINEERING: 'Deception was found there: pages that pretend to be others to get passwords or money.',
      UNWANTED_SOFTWARE: 'Unwanted software was found there: programs that may do more than they say.',
      SOCIAL_ENGINEERING_EXTENDED_COVERAGE:
        'Probably there is deception: pages that pretend to be others to get passwords or money.',
    },
    advice: 'If you do not know this site, close this page.',
    button: (host) => `Continue to ${host} anyway`,
  },
  tooManyMisses: {
    title: 'Too many requests',
    text: 'Many links that do not exist were asked for from your network. Please try again in a minute.',
  },
  tooManyReports: {
    title: 'Too many reports',
    text: 'Several reports came from your network just now. Please try again in a minute.',
  },
  tooManyTries: {
    title: 'Too many attempts',
    text: (minutes) =>
      `Too many wrong passwords were given for this link. You can try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
  },
  headersTooLarge: {
    title: 'Request too large',
    text: 'The headers of this request are larger than this server accepts.',
  },
  failed: { title: 'Something went wrong', text: 'The server could not answer this request. It has been noted.' },
  unavailable: {
    title: 'Not available right now',
    text: 'This link cannot be opened at the moment. Please try again in a few seconds.',
  },
  password: {
    title: 'Protected link',
    text: 'This link opens with a password.',
    label: 'Password',
    show: 'Show',
    showLabel: 'Show password',
    button: 'Open',
    wrongTitle: 'Wrong password',
    wrong: 'That is not the password. Please try again.',
  },
  deepLink: {
    title: 'Continue in the app?',
    text: 'This link can open in an app or in the browser.',
    app: 'Open in the app',
    web: 'Continue in the browser',
    hint: 'No app opened. It may not be installed on this device; the browser always works.',
  },
  report: {
    link: 'Report this link',
    title: 'Report a link',
    text: 'The staff of this service will look at it. You need not say who you are.',
    why: 'What is wrong with it?',
    reasons: {
      phishing: 'Phishing: it pretends to be another site',
      malware: 'It spreads malware',
      spam: 'It came with spam',
      illegal: 'It leads to illegal content',
      other: 'Something else',
    },
    comment: 'More about it (optional)',
    button: 'Send the report',
  },
  preview: { link: 'Continue' },
};
