import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type nodemailer from 'nodemailer';
import type { Logger } from 'pino';
import type { Mail, Mailer } from '#core/lib/mail.ts';

interface MailerOptions {
  /** `smtp://` or `smtps://`, with user and password if needed. Unset: mail is written to `folder`. */
  smtpUrl?: string | undefined;
  from: string;
  /** Folder of `.eml` files when no SMTP server is configured. */
  folder: string;
  log: Pick<Logger, 'info'>;
}

const connectTimeoutMs = 10_000;
const answerTimeoutMs = 30_000;

/** Sends mail by SMTP, or writes files where no server is configured. */
export function createMailer({ smtpUrl, from, folder, log }: MailerOptions): Mailer {
  if (smtpUrl === undefined) return createFolderMailer(from, folder, log);
  let opened: Promise<ReturnType<typeof nodemailer.createTransport>> | undefined;
  const open = async () =>
    (await loadNodemailer()).createTransport({
      url: smtpUrl,
      connectionTimeout: connectTimeoutMs,
      greetingTimeout: connectTimeoutMs,
      socketTimeout: answerTimeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  return {
    async send(mail) {
      const transport = await (opened ??= open());
      await transport.sendMail(messageOf(mail, from));
    },
    close: () => void opened?.then((transport) => transport.close()),
  };
}

function createFolderMailer(from: string, folder: string, log: Pick<Logger, 'info'>): Mailer {
  return {
    async send(mail) {
      const nodemailer = await loadNodemailer();
      const transport = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
      const { message } = await transport.sendMail(messageOf(mail, from));
      // A retry overwrites the first file.
      const name = `${createHash('sha256').update(mail.messageId).digest('hex').slice(0, 32)}.eml`;
      const path = join(folder, name);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(`${path}.part`, message as Buffer, { mode: 0o600 });
      await rename(`${path}.part`, path);
      log.info({ path, subject: mail.subject }, 'a mail was written to a file: SMTP_URL is not set');
    },
    close: () => {},
  };
}

/** Loaded at the first mail: most workers send none for hours. */
async function loadNodemailer() {
  return (await import('nodemailer')).default;
}

function messageOf({ to, subject, text, messageId }: Mail, from: string) {
  return { from, to, subject, text, messageId: `<${messageId}>`, headers: { 'auto-submitted': 'auto-generated' } };
}
