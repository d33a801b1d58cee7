import { type FileKind, fileKinds, imageFormats } from '#core/files/kinds.ts';

/** The most files that are uploaded at once: a folder dropped by mistake is not sent whole. */
export const mostUploads = 20;

/** Why a file is not sent. */
type UploadProblem = 'wrongType' | 'tooLarge' | 'isEmpty';

/** Checks a file against the bounds that the API has for its use. The type is the browser's guess; the API reads the bytes. */
export function findUploadProblem(kind: FileKind, file: { size: number; type: string }): UploadProblem | undefined {
  if (file.size === 0) return 'isEmpty';
  if (!acceptedTypes(kind).includes(file.type)) return 'wrongType';
  return file.size > fileKinds[kind].maxBytes ? 'tooLarge' : undefined;
}

/** MIME types of a use. */
export function acceptedTypes(kind: FileKind): string[] {
  return fileKinds[kind].formats.map((format) => imageFormats[format].mime);
}

/** Names of the formats of a use: PNG, JPG, WebP. */
export function formatLabels(kind: FileKind): string {
  return fileKinds[kind].formats.map((format) => imageFormats[format].label).join(', ');
}

/** The use of a stored file: its key in the storage begins with it. */
export function kindOf({ key }: { key: string }): FileKind | undefined {
  const [folder] = key.split('/');
  return folder !== undefined && Object.hasOwn(fileKinds, folder) ? (folder as FileKind) : undefined;
}
