import compress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

// A smaller answer fits into one packet either way.
const smallestBytes = 1_400;
const bulkPath = '/short-link/bulk';

/**
 * Compresses JSON and CSV, streams too, for clients that accept it (1.11). Only answers of GET and bulk calls: others may hold a secret
 * beside what the caller sent, and the length of a compressed answer tells of such a secret (BREACH); so may paths under /auth/.
 * Compressed requests stay refused.
 */
export const compression = fp(
  async (app: FastifyInstance) => {
    app.addHook('onRoute', (route) => {
      const isRead = [route.method].flat().every((method) => method === 'GET' || method === 'HEAD');
      const mayHoldSecret = !isRead && route.url !== bulkPath;
      if (mayHoldSecret || route.url.startsWith('/auth/')) route.compress = false;
    });
    await app.register(compress, {
      globalDecompression: false,
      encodings: ['br', 'gzip'],
      threshold: smallestBytes,
      customTypes: /^(?:application\/json|text\/csv)(?:;|$)/,
    });
  },
  { name: 'compression', fastify: '5.x' },
);
