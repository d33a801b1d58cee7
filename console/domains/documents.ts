/** The association file of an app on iOS, for all paths. @param appId team and bundle: `ABCDE12345.com.example.app`. */
export function appleDocument(appId: string): string {
  return print({ applinks: { details: [{ appIDs: [appId], components: [{ '/': '*' }] }] } });
}

/** The association file of an app on Android. @param fingerprint SHA-256 of the certificate, in pairs of hex digits. */
export function androidDocument(packageName: string, fingerprint: string): string {
  const target = {
    namespace: 'android_app',
    package_name: packageName,
    sha256_cert_fingerprints: [fingerprint.toUpperCase()],
  };
  return print([{ relation: ['delegate_permission/common.handle_all_urls'], target }]);
}

/** A document as it is edited. */
export function print(document: unknown): string {
  return document === null || document === undefined ? '' : JSON.stringify(document, null, 2);
}

/** Reads what stands in the editor; an empty text is no document. `reason`: why it is no JSON. */
export function read(text: string): { document: unknown; reason?: undefined } | { reason: string } {
  if (text.trim() === '') return { document: null };
  try {
    return { document: JSON.parse(text) as unknown };
  } catch (error) {
    return { reason: (error as Error).message };
  }
}
