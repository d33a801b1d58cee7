import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { toClientName } from '#core/audit/client-name.ts';

/**
 * Clients of 2025 send this header with every call after their handshake. Nothing is kept under it: it is the name that the client gave
 * itself there, which later calls do not tell.
 */
export const sessionHeader = 'mcp-session-id';

/** How a client names itself; the title is for people. */
const clientInfo = z.object({ name: z.string(), title: z.string().optional() });
const handshakeSchema = z.object({ method: z.literal('initialize'), params: z.object({ clientInfo }) });
const messageSchema = z.object({
  params: z.object({ _meta: z.object({ 'io.modelcontextprotocol/clientInfo': clientInfo }) }),
});

/** The first message of a client: of 2025, and since 2026. */
export function isHandshake(message: unknown): boolean {
  const { method } = (message ?? {}) as { method?: unknown };
  return method === 'initialize' || method === 'server/discover';
}

/** @returns the session id for the client that makes its handshake by a message; undefined: the message is none, or names no client. */
export function sessionOf(message: unknown): string | undefined {
  const { data } = handshakeSchema.safeParse(message);
  const name = data && nameOf(data.params.clientInfo);
  return name && Buffer.from(name).toString('base64url');
}

/** The name that the client of a message gives itself: since 2026 in each message, before by its session. */
export function clientOf({ body, headers }: Pick<FastifyRequest, 'body' | 'headers'>): string | undefined {
  const { data } = messageSchema.safeParse(body);
  if (data !== undefined) return nameOf(data.params._meta['io.modelcontextprotocol/clientInfo']);
  const session = headers[sessionHeader];
  return typeof session === 'string' ? toClientName(Buffer.from(session, 'base64url').toString()) : undefined;
}

function nameOf({ name, title }: z.output<typeof clientInfo>): string | undefined {
  return toClientName(title) ?? toClientName(name);
}
