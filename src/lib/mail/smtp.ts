import type { Transporter } from 'nodemailer';
import type { Rendered } from './message.ts';

/** The mail server of the print shop, and in whose name mails are. */
export type MailSettings = {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise STARTTLS, which a server on this machine alone need not have. */
  readonly isSecure: boolean;
  readonly user: string;
  readonly password: string;
  readonly from: { readonly name: string; readonly address: string };
};

/** A mail with its recipient; the id makes a mail that arrives twice recognisable. */
export type Letter = Rendered & { readonly id: string; readonly to: string };

/**
 * What became of a mail; `answer` is the server's, without the recipient's address.
 * `sent`: the server took it. `refused`: it never will. `later`: this mail not now. Faults of the connection and of the
 * sign-in are thrown, since every mail would fail by them.
 */
export type Handed = { readonly kind: 'sent' | 'refused' | 'later'; readonly answer: string };

export type Smtp = { readonly send: (letter: Letter) => Promise<Handed> };

/** The library reads a recipient as a list, with names: nothing that would make it one gets so far. */
const ONE_ADDRESS = /^[^\s,;:<>()[\]"\\@]+@[^\s,;:<>()[\]"\\@]+$/;

const CONNECT_MS = 10_000;
/** Without a byte from the server. */
const SILENCE_MS = 20_000;
const ANSWER_CHARACTERS_MAX = 300;

/**
 * Opens the way to the mail server.
 * Each mail has a connection of its own, so that nothing is kept open; mails are few. The first one loads the library.
 */
export function openSmtp(settings: MailSettings): Smtp {
  let transport: Promise<Transporter> | undefined;
  return {
    send: async (letter) => {
      if (!ONE_ADDRESS.test(letter.to)) return { kind: 'refused', answer: 'the recipient is not one plain address' };
      transport ??= createTransporter(settings);
      const failed = await handOver(await transport, settings, letter);
      if (typeof failed === 'string') return { kind: 'sent', answer: failed };
      const refusal = refusalOf(failed, letter.to);
      if (refusal === undefined) throw new Error(faultOf(failed, letter.to));
      return refusal;
    },
  };
}

/** Returns the server's answer, or what the library threw, which has the recipient in it. */
async function handOver(
  transport: Transporter,
  settings: MailSettings,
  letter: Letter,
): Promise<string | LibraryError> {
  try {
    const info = (await transport.sendMail(envelopeOf(settings, letter))) as { readonly response?: unknown };
    return answerOf(info.response, letter.to);
  } catch (error) {
    return error as LibraryError;
  }
}

type LibraryError = Readonly<Record<'responseCode' | 'code' | 'command' | 'response' | 'message', unknown>>;

async function createTransporter({ host, port, isSecure, user, password }: MailSettings): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    host,
    port,
    secure: isSecure,
    // Never in the clear over a network, whatever the server offers.
    requireTLS: !isSecure && !isLoopback(host),
    ignoreTLS: false,
    ...(user === '' ? {} : { auth: { user, pass: password } }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function envelopeOf({ from }: MailSettings, { id, to, subject, text, html }: Letter) {
  return {
    from,
    // As an object: a text would be read as a list of addresses.
    to: { name: '', address: to },
    envelope: { from: from.address, to: [to] },
    subject,
    text,
    html,
    messageId: `<${id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
    headers: { 'auto-submitted': 'auto-generated', 'x-auto-response-suppress': 'All' },
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/**
 * SMTP: an answer above 500 is for good, one above 400 for the moment (RFC 5321, 4.2.1).
 * Only answers to the recipient and to the content are about this mail. When the sign-in or the sender is refused,
 * every mail fails.
 */
function refusalOf(error: LibraryError, to: string): Handed | undefined {
  const { responseCode, code, command, response, message } = error;
  if (!isAboutOneMail(code) || command === 'MAIL FROM') return undefined;
  // The library sends no such recipient.
  if (command === 'API') return { kind: 'refused', answer: answerOf(message, to) };
  if (typeof responseCode !== 'number') return undefined;
  const answer = answerOf(response, to);
  if (responseCode >= 500 && responseCode < 600) return { kind: 'refused', answer };
  // 421: the server closes the connection, whichever mail it is about.
  return responseCode >= 400 && responseCode !== 421 ? { kind: 'later', answer } : undefined;
}

/** The library's words for an answer to the envelope and to the content. */
const isAboutOneMail = (code: unknown): boolean => code === 'EENVELOPE' || code === 'EMESSAGE';

function faultOf({ code, message }: LibraryError, to: string): string {
  return `the mail server could not be used: ${textOf(code)} ${answerOf(message, to)}`;
}

function answerOf(response: unknown, to: string): string {
  return textOf(response).replaceAll(to, '…').replaceAll(/\s+/g, ' ').trim().slice(0, ANSWER_CHARACTERS_MAX);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
