/** A mail, as plain text. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  /** Tells mail programs that two copies are one: the same whenever the same mail is sent again. Without angle brackets. */
  messageId: string;
}

/** Sends mail. */
export interface Mailer {
  /** @throws Error where the server does not take it. */
  send(mail: Mail): Promise<void>;
  close(): void;
}
