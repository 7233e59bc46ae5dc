import type { Command } from 'commander';
import { emailProblems } from '../../accounts/create-user.ts';
import { readConfig } from '../../lib/config.ts';
import { newId, publicId } from '../../lib/ids.ts';
import { renderMessage } from '../../lib/mail/message.ts';
import { openSmtp } from '../../lib/mail/smtp.ts';
import { addCommand, addGroup } from '../cli-parts.ts';
import type { Output } from '../commands.ts';
import { printResult, UsageError } from '../report.ts';

/** Adds the commands about mail. */
export function addMail(program: Command): void {
  const mail = addGroup(program, 'mail', 'Mail to the people of customers');
  addCommand(mail, 'test', 'Send a mail now, to see whether SMTP_URL and MAIL_FROM are right')
    .requiredOption('--to <address>', 'who gets it')
    .action(sendTest);
}

/** `platen mail test` */
async function sendTest({ to, ...output }: Output & { readonly to: string }): Promise<void> {
  if (emailProblems(to).length > 0)
    throw new UsageError(`--to must be one address, such as you@print.example, and is "${to}"`);
  const { mail, baseUrl } = readConfig();
  if (mail === undefined) throw new UsageError('no mail server is set: set SMTP_URL and MAIL_FROM');
  const message = renderMessage({
    subject: 'A test of the mail settings',
    paragraphs: ['This mail was sent by “platen mail test”. Your customers get theirs in the same way.'],
    footer: `Sent by the print shop at ${baseUrl}.`,
  });
  const { kind, answer } = await openSmtp(mail).send({ ...message, id: publicId('mail', newId()), to });
  if (kind !== 'sent') throw new Error(`${mail.host} did not take the mail: ${answer}`);
  printResult(output, { sent: true, answer }, [`${mail.host} took the mail: ${answer}`]);
}
