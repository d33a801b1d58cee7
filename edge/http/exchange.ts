import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { PlainHeaders } from './plain-get.ts';

/** The headers that the edge reads, as Node gives them: a request that is read without Node's parser has no others. */
export type VisitHeaders = Readonly<Partial<Pick<IncomingHttpHeaders, Exclude<keyof PlainHeaders, 'connection'>>>>;

/** A request of a visitor; Node's own requests are some. */
export interface VisitRequest extends Pick<IncomingMessage, 'method' | 'url'> {
  readonly headers: VisitHeaders;
  /** The other end of the connection. */
  readonly socket: { readonly remoteAddress?: string | undefined };
  /** Reads the body; unset where there is none. */
  readonly iterator?: IncomingMessage['iterator'];
}

/** The answer to a request, which is sent once. */
export interface Reply {
  readonly request: VisitRequest;
  readonly isSent: boolean;
  /**
   * Sends the answer, with the headers that every answer has beside the given ones. HEAD gets no body.
   * @param headers names and values in turn, Content-Length among them.
   */
  send(status: number, headers: readonly string[], body: Buffer | string): void;
}

/** Answers a GET, HEAD or POST. */
export type Handler = (request: VisitRequest, reply: Reply) => void;
