import { hash } from 'node:crypto';

/** Key of a URL's verdict: SHA-256 of the URL as it was sent, as `hash_of_url` of the database. */
export function hashOfUrl(url: string): Buffer {
  return hash('sha256', url, 'buffer');
}

/** The same in hexadecimal. */
export function hexHashOfUrl(url: string): string {
  return hash('sha256', url, 'hex');
}
