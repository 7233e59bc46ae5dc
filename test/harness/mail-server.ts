import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { MailSettings } from '../../src/lib/mail/smtp.ts';

/** A mail as the server has got it. */
export type Received = { readonly from: string; readonly to: readonly string[]; readonly source: string };

/** What the server answers, by its choice: undefined accepts. */
export type Refusal = { readonly status: number; readonly text: string } | undefined;

export type MailServer = {
  readonly settings: MailSettings;
  readonly received: readonly Received[];
  /** Decides about a recipient, and about a content that has arrived. */
  onRecipient: (address: string) => Refusal;
  onSender: (address: string) => Refusal;
  onContent: (received: Received) => Refusal;
  /** Whether it hangs, saying nothing, once the content has arrived. */
  hangsAfterContent: boolean;
  /** Whether it closes the connection once the content has arrived, without an answer. */
  closesAfterContent: boolean;
  readonly close: () => Promise<void>;
};

const USER = 'platen';
const PASSWORD = 'a password';

/** A real SMTP server on this machine, without TLS, that misbehaves as a test wants; on any port when none is given. */
export async function startMailServer(port = 0): Promise<MailServer> {
  const received: Received[] = [];
  const server = new SMTPServer({
    authOptional: false,
    allowInsecureAuth: true,
    hideSTARTTLS: true,
    disableReverseLookup: true,
    onAuth: (auth, _session, done) => {
      if (auth.username === USER && auth.password === PASSWORD) done(null, { user: USER });
      else done(new Error('wrong user or password'));
    },
    onMailFrom: ({ address }, _session, done) => done(errorOf(mail.onSender(address))),
    onRcptTo: ({ address }, _session, done) => done(errorOf(mail.onRecipient(address))),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const mailOf = {
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          source: Buffer.concat(chunks).toString('utf8'),
        };
        const refusal = mail.onContent(mailOf);
        if (refusal === undefined) received.push(mailOf);
        if (mail.hangsAfterContent) return;
        if (mail.closesAfterContent) {
          for (const connection of server.connections) connection.close();
          return;
        }
        done(errorOf(refusal));
      });
    },
  });
  server.on('error', () => {});
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  const listening = server.server.address() as AddressInfo;
  const mail: MailServer = {
    settings: {
      host: '127.0.0.1',
      port: listening.port,
      isSecure: false,
      user: USER,
      password: PASSWORD,
      from: { name: 'Print shop', address: 'orders@print.example' },
    },
    received,
    onRecipient: () => undefined,
    onSender: () => undefined,
    onContent: () => undefined,
    hangsAfterContent: false,
    closesAfterContent: false,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return mail;
}

function errorOf(refusal: Refusal): Error | null {
  return refusal === undefined ? null : Object.assign(new Error(refusal.text), { responseCode: refusal.status });
}
