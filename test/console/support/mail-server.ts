import { createServer, type Socket } from 'node:net';
import { once } from 'node:events';

/** A mail server on loopback that takes every mail. */
export interface MailServer {
  /** smtp://127.0.0.1:<port> */
  url: string;
  close(): void;
}

/** Starts one. @param onMail gets each mail as it came: headers, an empty line and the text. */
export async function startMailServer(onMail: (mail: string) => void): Promise<MailServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let text = '';
    let isData = false;
    const say = (line: string): void => void socket.write(`${line}\r\n`);
    say('220 test');
    socket.on('data', (bytes) => {
      text += bytes.toString('utf8');
      for (;;) {
        const end = isData ? '\r\n.\r\n' : '\r\n';
        const at = text.indexOf(end);
        if (at < 0) return;
        const line = text.slice(0, at);
        text = text.slice(at + end.length);
        if (isData) {
          isData = false;
          onMail(line);
          say('250 taken');
        } else if (/^data/i.test(line)) {
          isData = true;
          say('354 go on');
        } else if (/^quit/i.test(line)) {
          say('221 bye');
          socket.end();
        } else {
          say('250 ok');
        }
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the mail server has no port');
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
