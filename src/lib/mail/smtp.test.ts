import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type MailServer, startMailServer } from '../../../test/harness/mail-server.ts';
import { openSmtp, type Smtp } from './smtp.ts';

const LETTER = {
  id: 'mail_01',
  to: 'anna@shop.example',
  subject: 'Füllt ein',
  text: 'Hello\n\n.a line that begins with a dot\n',
  html: '<p>Hello</p>',
};

let server: MailServer;
let smtp: Smtp;
beforeEach(async () => {
  server = await startMailServer();
  smtp = openSmtp(server.settings);
});
afterEach(async () => {
  await server.close();
});

test('a mail goes to its one recipient, from the sender of the shop, and is marked as automatic', async () => {
  assert.equal((await smtp.send(LETTER)).kind, 'sent');
  const [mail, ...others] = server.received;
  assert.ok(mail !== undefined && others.length === 0);
  assert.deepEqual(mail.to, ['anna@shop.example']);
  assert.equal(mail.from, 'orders@print.example');
  for (const header of [
    /^From: Print shop <orders@print\.example>$/im,
    /^To: anna@shop\.example$/im,
    /^Subject: =\?UTF-8\?Q\?F=C3=BCllt_ein\?=$/im,
    /^Message-ID: <mail_01@print\.example>$/im,
    /^Auto-Submitted: auto-generated$/im,
  ]) {
    assert.match(mail.source.replaceAll('\r\n', '\n'), header);
  }
});

test('a recipient that looks like a list is one address or none', async () => {
  for (const to of ['a@x.example, b@y.example', 'a@x.example\r\nRCPT TO:<b@y.example>', 'A <a@x.example>']) {
    const end = await smtp.send({ ...LETTER, to });
    const recipients = server.received.flatMap((mail) => mail.to);
    assert.ok(end.kind === 'refused' || recipients.length === 0, `${to}: ${end.kind} ${recipients.join('|')}`);
  }
});

describe('what the server answers', () => {
  test('5yz about the recipient or the content is for good, without the address in it', async () => {
    server.onRecipient = (address) => ({ status: 550, text: `no such user ${address}` });
    assert.deepEqual(await smtp.send(LETTER), { kind: 'refused', answer: '550 no such user …' });
    server.onRecipient = () => undefined;
    server.onContent = () => ({ status: 554, text: 'looks like spam' });
    assert.deepEqual(await smtp.send(LETTER), { kind: 'refused', answer: '554 looks like spam' });
  });

  test('4yz sets this mail back', async () => {
    server.onRecipient = () => ({ status: 450, text: 'try again in five minutes' });
    assert.deepEqual(await smtp.send(LETTER), { kind: 'later', answer: '450 try again in five minutes' });
  });

  test('what would meet every mail is thrown: the sender refused, the password wrong, nobody there', async () => {
    server.onSender = () => ({ status: 550, text: 'not yours to send from' });
    await assert.rejects(smtp.send(LETTER), /could not be used: EENVELOPE .*not yours to send from/);
    const wrong = openSmtp({ ...server.settings, password: 'another' });
    await assert.rejects(wrong.send(LETTER), /could not be used: EAUTH/);
    const nobody = openSmtp({ ...server.settings, port: 1 });
    await assert.rejects(nobody.send(LETTER), /could not be used: ESOCKET.*ECONNREFUSED/);
  });

  test('a connection that closes before the answer is a fault: whether the mail arrived is not known', async () => {
    server.closesAfterContent = true;
    await assert.rejects(smtp.send(LETTER), /could not be used/);
  });
});

test('no password and no mail go in the clear to another machine', async () => {
  // Not on this machine by its name; the address is this machine, so that nothing leaves it.
  const open = openSmtp({ ...server.settings, host: '0.0.0.0' });
  await assert.rejects(open.send(LETTER), /could not be used: (ETLS|ECONNECTION|ESOCKET|EPROTOCOL)/);
  assert.deepEqual(server.received, []);
});
