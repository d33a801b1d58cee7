/** Path under which files are served without a key, at the API's public address. */
export const publicFilesPath = '/files/public';

/**
 * @param baseUrl public address of the API, without a slash at its end.
 * @returns a function from a file's `url_key`, the random part of its address, to its public address.
 */
export function createFileUrl(baseUrl: string): (urlKey: string) => string {
  return (urlKey) => `${baseUrl}${publicFilesPath}/${urlKey}`;
}
