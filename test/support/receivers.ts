import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Authority, type Certificate, createAuthority } from './certificates.ts';

/** Answers a request. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Servers of one test file, with a root that signs their certificates. */
export interface Receivers {
  authority: Authority;
  /** The root's certificate, a PEM file. */
  caFile: string;
  /** Listens on a free port of 127.0.0.1. @returns the port. */
  listen(server: Server): Promise<number>;
  /** Starts an https server, by default with a certificate for 127.0.0.1 and hooks.test. @returns its port. */
  https(handler: Handler, certificate?: Certificate): Promise<number>;
  /** Closes all servers and their connections. */
  stop(): Promise<void>;
  /** Closes all servers and removes the file of the root. */
  dispose(): Promise<void>;
}

/** @param parent where the folder of the root's certificate is made. */
export function createReceivers(parent = tmpdir()): Receivers {
  const folder = mkdtempSync(join(parent, 'waymark-receivers-'));
  const caFile = join(folder, 'ca.pem');
  const authority = createAuthority();
  writeFileSync(caFile, authority.cert);
  const servers = new Map<Server, Set<Socket>>();

  async function listen(server: Server): Promise<number> {
    const sockets = new Set<Socket>();
    servers.set(server, sockets);
    server.on('connection', (socket: Socket) => {
      sockets.add(socket.on('error', () => undefined));
      socket.on('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }

  async function stop(): Promise<void> {
    const ending = [...servers].map(([server, sockets]) => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    });
    servers.clear();
    await Promise.all(ending);
  }

  return {
    authority,
    caFile,
    listen,
    https: (handler, certificate = authority.issue(['hooks.test', '127.0.0.1'])) =>
      listen(createHttpsServer(certificate, handler)),
    stop,
    async dispose() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
