import { createFile, deleteFile } from '#commands/files/files.ts';
import { invalid } from '#core/errors/errors.ts';
import { type CleanImage, type FileKind, fileKinds, ImageError } from '#core/files/kinds.ts';
import { createFileUrl } from '#core/files/url.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import { File } from '#db/entities/files.ts';
import type { UploadedFile } from '#api/plugins/multipart.ts';
import { deletedSchema, errorResponses, idParamsSchema } from '#api/schemas.ts';
import type { Routes } from '#api/dependencies.ts';
import { publicFileRoutes } from './public-routes.ts';
import { fileListQuerySchema, fileListSchema, fileSchema, uploadSchema, presentFile } from './schema.ts';

/** Uploads: images of link previews and logos of QR codes. */
export const fileRoutes: Routes = async (app, deps) => {
  const { storage, images, clock, baseUrl, shares } = deps;
  const fileUrl = createFileUrl(baseUrl);
  await app.register(publicFileRoutes, deps);

  async function clean({ bytes }: UploadedFile, kind: FileKind): Promise<CleanImage> {
    try {
      return await images.clean(bytes, fileKinds[kind].formats);
    } catch (error) {
      throw error instanceof ImageError ? invalid('file', error.message) : error;
    }
  }

  function addUpload(kind: FileKind, described: { operationId: string; summary: string; description: string }): void {
    app.post(`/files/${kind}-image`, {
      config: {
        access: { resource: 'files', action: 'create' },
        multipart: {
          maxFileBytes: fileKinds[kind].maxBytes,
          check: (file, { actor }) => shares.uploads(actor.organizationId, () => clean(file, kind)),
        },
      },
      schema: {
        ...described,
        consumes: ['multipart/form-data'],
        body: uploadSchema(kind),
        response: { 201: fileSchema, ...errorResponses(400, 404, 409) },
      },
      handler: async ({ actor, body: { file }, em, idempotent }, reply) => {
        const create = async () => {
          const image = await shares.uploads(actor.organizationId, () => clean(file, kind));
          const name = toName(file.name) || `image.${image.format}`;
          return createFile(em, storage, actor, { kind, name, image }, { now: clock(), finish: idempotent?.made });
        };
        const earlierId = idempotent?.earlier as string | null | undefined;
        const id = earlierId ?? (await create());
        const stored = requireOwn(await em.findOne(File, { id }), actor, 'file');
        return reply.code(201).send(presentFile(stored, fileUrl));
      },
    });
  }

  addUpload('meta-tag', {
    operationId: 'uploadMetaTagImage',
    summary: "Upload the image of a link's preview",
    description:
      'Use the id as metaTags.imageId. The image is drawn again, without metadata. An image that no link uses for 7 days is removed.',
  });
  addUpload('qr-code', {
    operationId: 'uploadQrCodeImage',
    summary: 'Upload the logo of QR codes',
    description:
      'Use the id as qrCode.imageId. Pixels are drawn again, without metadata; an SVG image is cleaned of scripts, event handlers, foreign content and references to other files. A logo that nothing uses for 7 days is removed.',
  });

  app.get('/files/list', {
    config: { access: { resource: 'files', action: 'read' } },
    schema: {
      operationId: 'listFiles',
      summary: 'List files',
      description: 'Most recent first.',
      querystring: fileListQuerySchema,
      response: { 200: fileListSchema, ...errorResponses(400) },
    },
    handler: async ({ actor: { organizationId }, em, query }) => {
      const { createdSince: since, createdUntil: until, withUses, ...rest } = query;
      const range = { since: since && writable(since), until: until && writable(until) };
      const files = em.getRepository(File);
      const [rows, count] = await files.list(organizationId, { ...rest, ...range });
      const uses = withUses === true ? await files.countUses(rows.map(({ id }) => id)) : undefined;
      const data = rows.map((row) => ({
        ...presentFile(row, fileUrl),
        ...(uses && { uses: uses.get(row.id) ?? { links: 0, domains: 0 } }),
      }));
      return { count, data };
    },
  });

  app.get('/files/:id', {
    config: { access: { resource: 'files', action: 'read' } },
    schema: {
      operationId: 'getFile',
      summary: 'Read a file',
      description: 'The properties of a file; its content is at its url.',
      params: idParamsSchema,
      response: { 200: fileSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ actor, em, params: { id } }) =>
      presentFile(requireOwn(await em.findOne(File, { id }), actor, 'file'), fileUrl),
  });

  app.delete('/files/:id', {
    config: { access: { resource: 'files', action: 'delete' } },
    schema: {
      operationId: 'deleteFile',
      summary: 'Delete a file',
      description: 'Its url answers 404 at once. A file that a short link or a domain uses cannot be deleted.',
      params: idParamsSchema,
      response: { 200: deletedSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ actor, em, params: { id } }) => {
      await em.transactional((em) => deleteFile(em, actor, id, clock()));
      return { rowCount: 1 };
    },
  });
};

const maxNameLength = 255;

/** A file's name without folders and control characters; one that is too long loses the end before its extension. */
function toName(name: string): string {
  const base = name.toWellFormed().split(/[\\/]/).at(-1) ?? '';
  const shown = base.replaceAll(/\p{Cc}/gu, '').trim();
  const extension = /\.\w{1,10}$/.exec(shown)?.[0] ?? '';
  const stem = Array.from(shown.slice(0, shown.length - extension.length));
  return stem.slice(0, maxNameLength - extension.length).join('') + extension;
}

// The last moment that a timestamp can have in every zone.
const lastMs = Date.UTC(9999, 11, 30);

/** A moment that PostgreSQL reads as MikroORM writes it, which the first and last years of the calendar are not. */
function writable(moment: Date): Date {
  return new Date(Math.min(Math.max(moment.getTime(), 0), lastMs));
}
