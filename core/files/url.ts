/** Path under which files are served without a key, at the API's public address. */
export const publicFilesPath = '/files/public';

/**
 * Makes the builder of files' public addresses.
 * @param baseUrl public address of the API, without a slash at its end.
 * @returns a function of a file's `url_key`, the random part that makes its address one that nobody guesses.
 */
export function createFileUrl(baseUrl: string): (urlKey: string) => string {
  return (urlKey) => `${baseUrl}${publicFilesPath}/${urlKey}`;
}
