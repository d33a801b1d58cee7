import { createHash } from 'node:crypto';
import multipartParser, { type MultipartFile } from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { z } from 'zod';
import { codingProblem } from '#api/limits/body-limits.ts';
import { AppError, invalid } from '#core/errors/errors.ts';

/** A part of a multipart body that is a file. */
export class UploadedFile {
  /** The client's name of the file; may be empty. */
  readonly name: string;
  /** Cut at the limit where the file is too large. */
  readonly bytes: Buffer;
  readonly isTooLarge: boolean;

  constructor(name: string, bytes: Buffer, isTooLarge: boolean) {
    this.name = name;
    this.bytes = bytes;
    this.isTooLarge = isTooLarge;
  }

  /** Whether it has content that was read whole. */
  isWhole(): boolean {
    return !this.isTooLarge && this.bytes.length > 0;
  }

  /** The part's fingerprint for an Idempotency-Key. */
  toJSON(): object {
    return {
      sha256: createHash('sha256').update(this.bytes).digest('hex'),
      tooLarge: this.isTooLarge,
    };
  }
}

/** A multipart part that must be one file of 1 to `maxBytes` bytes. */
export function uploadedFileSchema(maxBytes: number, description: string) {
  return z
    .custom<UploadedFile>((value) => value instanceof UploadedFile, {
      error: ({ input }) => {
        if (input === undefined) return 'is required';
        return Array.isArray(input) ? 'must be sent once' : 'must be sent as a file of multipart/form-data';
      },
    })
    .refine(({ isTooLarge }) => !isTooLarge, `must have at most ${maxBytes} bytes`)
    .refine(({ bytes }) => bytes.length > 0, 'must not be empty')
    .meta({ type: 'string', format: 'binary', description });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The route takes multipart/form-data. Its body has a member for each part: a string, an `UploadedFile`, or an array for a repeated
     * name. `check` throws what is wrong with the content of its part `file`, to be named beside other wrong parts (1.2).
     */
    multipart?: { maxFileBytes: number; check(file: UploadedFile, request: FastifyRequest): Promise<unknown> };
  }
}

/** Above the files of any valid body, so that a superfluous one is refused by name. */
export const maxFiles = 3;
const limits = { files: maxFiles, fields: 10, parts: 10, fieldSize: 10_000, fieldNameSize: 200, headerPairs: 20 };

/** Reads multipart bodies into memory before idempotency and validation; routes without `multipart` refuse them. */
export const multipart = fp(
  async (app: FastifyInstance) => {
    await app.register(multipartParser, { throwFileSizeLimit: false, limits });
    app.addHook('preValidation', async (request) => {
      if (!request.isMultipart()) return;
      const { multipart: taken } = request.routeOptions.config;
      if (taken === undefined) throw invalid('', 'The body must be sent as application/json.');
      const problem = codingProblem(request.headers['content-encoding']);
      if (problem !== undefined) throw invalid('', problem);
      request.body = await readParts(request, taken.maxFileBytes);
    });
  },
  { name: 'multipart', fastify: '5.x', dependencies: ['access'] },
);

async function readParts(request: FastifyRequest, maxFileBytes: number): Promise<Record<string, unknown>> {
  const body = new Map<string, unknown>();
  try {
    for await (const part of request.parts({ limits: { ...limits, fileSize: maxFileBytes } })) {
      const value = part.type === 'file' ? await readFile(part) : part.value;
      const name = part.fieldname as string | undefined;
      if (name === undefined) throw invalid('', 'A part of the body has no name.');
      const before = body.get(name);
      body.set(name, before === undefined ? value : [before, value].flat());
    }
  } catch (error) {
    throw refusal(error);
  }
  return Object.fromEntries(body);
}

async function readFile(part: MultipartFile): Promise<UploadedFile> {
  const bytes = await part.toBuffer();
  return new UploadedFile(part.filename ?? '', bytes, part.file.truncated);
}

function refusal(error: unknown): Error {
  if (error instanceof AppError) return error;
  const { code = '' } = error as { code?: string };
  if (/^FST_(?:FILES|FIELDS|PARTS)_LIMIT$/.test(code)) return invalid('', 'The body has too many parts.');
  return invalid('', 'The body is not valid multipart/form-data.');
}
