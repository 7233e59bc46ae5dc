import { eventually } from './context.ts';
import { type MailServer, startMailServer } from './mail-server.ts';

/** A mail server, the settings that have a service use it, and what came to an address. */
export type Mailbox = {
  readonly env: Readonly<Record<'SMTP_URL' | 'MAIL_FROM', string>>;
  readonly server: MailServer;
  /** Waits for so many mails to an address, and returns the words of the last one. */
  readonly mailTo: (address: string, count?: number) => Promise<Mail>;
  readonly mailsTo: (address: string) => readonly Mail[];
  readonly close: () => Promise<void>;
};

export type Mail = { readonly subject: string; readonly text: string; readonly html: string };

/** Starts a mail server of this machine. */
export async function openMailbox(): Promise<Mailbox> {
  const server = await startMailServer();
  const { user, password, port } = server.settings;
  const mailsTo = (address: string): readonly Mail[] =>
    server.received.filter(({ to }) => to.includes(address)).map(({ source }) => readMail(source));
  return {
    env: {
      SMTP_URL: `smtp://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}`,
      MAIL_FROM: 'Print shop <orders@print.example>',
    },
    server,
    mailsTo,
    mailTo: (address, count = 1) =>
      eventually(`${count} mails to ${address}`, async () => {
        const mails = mailsTo(address);
        return mails.length >= count && mails.at(-1);
      }),
    close: server.close,
  };
}

/** The token of a link in a mail, behind `#`. */
export function linkIn({ text }: Mail): string {
  const [url] = /https?:\/\/\S+#[\w-]+/.exec(text) ?? [];
  if (url === undefined) throw new Error(`a mail without a link: ${text}`);
  return url;
}

function readMail(source: string): Mail {
  const [head = ''] = source.split('\r\n\r\n');
  const subject = /^Subject: (.*(?:\r\n[ \t].*)*)/im.exec(head)?.[1] ?? '';
  const boundary = /boundary="([^"]+)"/.exec(head)?.[1] ?? '';
  const [, text = '', html = ''] = source.split(`--${boundary}`).map(bodyOf);
  return { subject: subject.replaceAll(/\r\n[ \t]/g, ' '), text, html };
}

function bodyOf(part: string): string {
  const at = part.indexOf('\r\n\r\n');
  const body = part.slice(at + 4);
  if (/content-transfer-encoding: base64/i.test(part.slice(0, at))) return Buffer.from(body, 'base64').toString('utf8');
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
