import { keepPreviousData } from '@tanstack/react-query';
import type { output } from 'zod';
import type { fileListSchema, fileSchema } from '#api/files/schema.ts';
import type { FileKind } from '#core/files/kinds.ts';
import { call } from '#console/api/client.ts';
import { readQuery } from '#console/api/query.ts';

type StoredFile = output<typeof fileSchema>;

/** A file of a list, with where it is used. */
export type StoredFileItem = output<typeof fileListSchema>['data'][number];

export const filesPerPage = 24;

/** A file by its id. Its bytes never change. */
export function fileQuery(id: string) {
  return readQuery<StoredFile>(['files', 'one', id], '/files/{id}', { params: { id }, staleTime: Infinity });
}

export function readFile(id: string, signal: AbortSignal): Promise<StoredFile> {
  return call<StoredFile>('GET', '/files/{id}', { params: { id }, signal });
}

interface FileFilters {
  kind?: FileKind | undefined;
  /** Part of the name. */
  search?: string;
  /** The first is 0. */
  page?: number;
  limit?: number;
}

/** Files, newest first. */
export function fileListQuery({ kind, search = '', page = 0, limit = filesPerPage }: FileFilters) {
  const query = { search, kind, page, limit, withUses: true };
  return readQuery<output<typeof fileListSchema>>(['files', 'list', query], '/files/list', {
    query,
    placeholderData: keepPreviousData,
  });
}

/** Uploads an image. @param intent one key for each time that the person means it. */
export function uploadFile(kind: FileKind, file: File, intent: string): Promise<StoredFile> {
  const body = new FormData();
  body.append('file', file);
  return call('POST', `/files/${kind}-image`, { body, idempotencyKey: intent });
}

/** Deletes a file. @throws ApiError where a link or a domain uses it. */
export function deleteFile(id: string): Promise<unknown> {
  return call('DELETE', '/files/{id}', { params: { id } });
}

/** The bytes of a file by its address, which needs no session. */
export async function readFileBytes(url: string): Promise<Blob> {
  const response = await fetch(url, { credentials: 'omit' });
  if (!response.ok) throw new Error(`The file could not be loaded: ${response.status}.`);
  return response.blob();
}
