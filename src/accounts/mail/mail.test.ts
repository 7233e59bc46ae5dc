import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { eventually, openAccount, openTestContext, type TestContext } from '../../../test/harness/context.ts';
import { type MailServer, startMailServer } from '../../../test/harness/mail-server.ts';
import { statement } from '../../lib/db.ts';
import type { Worker } from '../../lib/every.ts';
import type { Uuid } from '../../lib/ids.ts';
import { startWorker } from '../../lib/queue.ts';
import { mailJobs } from './jobs.ts';
import { queueMail } from './queue-mail.ts';
import type { NewMail } from './sql.ts';

let ctx: TestContext;
let server: MailServer;
let accountId: Uuid;
let workers: Worker[] = [];
before(async () => {
  ctx = await openTestContext({});
});
beforeEach(async () => {
  server = await startMailServer();
  ctx = { ...ctx, config: { ...ctx.config, mail: server.settings } };
  accountId = (await openAccount(ctx)).accountId;
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop(1_000)));
  workers = [];
  await server.close();
  await ctx.database.script('delete from job; delete from mail');
});
after(() => ctx.close());

const HOUR_MS = 3_600_000;
const MESSAGE = {
  subject: 'Your link',
  paragraphs: ['Hello.'],
  action: { label: 'Sign in', url: 'https://print.example/portal/join/a-secret-of-the-link' },
  footer: 'Why you get this.',
};

function queue(more: Partial<NewMail> = {}) {
  const uselessAt = new Date(ctx.clock.now().getTime() + HOUR_MS);
  const mail = { accountId, kind: 'invitation', to: 'anna@shop.example', uselessAt, message: MESSAGE, ...more };
  return ctx.database.transaction((tx) => queueMail(ctx, tx, mail));
}

function work(): void {
  workers.push(startWorker({ ...ctx, handlers: mailJobs(ctx), pollMs: 20 }));
}

type Row = { recipient: string; outcome: string | null; last_answer: string; has_content: boolean };
const ROWS = statement<Row>(
  'test_mails',
  `select recipient, outcome, last_answer, exists (select from mail_content c where c.mail_id = m.id) as has_content
   from mail m order by id`,
);
const JOBS = statement<{ jobs: number; attempts: number; setbacks: number }>(
  'test_mail_jobs',
  'select count(*)::integer as jobs, max(attempts) as attempts, max(setbacks) as setbacks from job where failed_at is null',
);
const rows = (): Promise<Row[]> => ctx.database.all(ROWS, []);

async function ended(count = 1): Promise<Row[]> {
  return eventually('the mails have ended', async () => {
    const all = await rows();
    return all.length === count && all.every(({ outcome }) => outcome !== null) && all;
  });
}

test('a mail is sent once its transaction has committed, and what it said is gone', async () => {
  assert.equal(await queue(), 'queued');
  work();
  const [row] = await ended();
  assert.deepEqual(
    { ...row, last_answer: '' },
    { recipient: 'anna@shop.example', outcome: 'sent', last_answer: '', has_content: false },
  );
  assert.equal(server.received.length, 1);
  assert.match(server.received[0]?.source ?? '', /a-secret-of-the-link/);
  await eventually('the job is gone', async () => (await ctx.database.one(JOBS, []))?.jobs === 0);
});

test('a mail of a transaction that is rolled back is never sent', async () => {
  const uselessAt = new Date(ctx.clock.now().getTime() + HOUR_MS);
  await assert.rejects(
    ctx.database.transaction(async (tx) => {
      await queueMail(ctx, tx, { accountId, kind: 'x', to: 'a@b.example', uselessAt, message: MESSAGE });
      throw new Error('undone');
    }),
    /undone/,
  );
  await queue();
  work();
  await ended();
  assert.equal(server.received.length, 1);
});

test('what a mail says is stored sealed, and is in no log', async () => {
  server.onRecipient = () => ({ status: 450, text: 'later' });
  await queue();
  work();
  await eventually('it was set back', async () => ((await ctx.database.one(JOBS, []))?.attempts ?? 0) > 0);
  const DUMP = statement<{ text: string }>('test_mail_dump', 'select (m, c)::text as text from mail m, mail_content c');
  const dump = (await ctx.database.all(DUMP, [])).map(({ text }) => text).join('\n');
  assert.ok(dump.includes('anna@shop.example'));
  for (const text of [dump, ctx.logged.join('\n')]) {
    assert.doesNotMatch(text, /a-secret-of-the-link|Your link/);
    assert.doesNotMatch(text, new RegExp(Buffer.from('a-secret-of-the-link').toString('hex')));
  }
  assert.doesNotMatch(ctx.logged.join('\n'), /anna@shop\.example/);
});

test('the same key twice is one mail, and another account may use it', async () => {
  assert.equal(await queue({ onceKey: 'disabled 1' }), 'queued');
  assert.equal(await queue({ onceKey: 'disabled 1' }), 'repeated');
  const other = (await openAccount(ctx)).accountId;
  assert.equal(await queue({ accountId: other, onceKey: 'disabled 1' }), 'queued');
  work();
  await ended(2);
  assert.equal(server.received.length, 2);
});

test('an account has at most 200 notices that wait, and is told in the log; others are not held up by them', async () => {
  for (let number = 0; number < 200; number += 1) assert.equal(await queue({ kind: 'artwork_failed' }), 'queued');
  assert.equal(await queue({ kind: 'artwork_failed' }), 'too_many');
  assert.ok(ctx.logged.some((line) => line.includes('a mail was not recorded: too many wait')));
  assert.equal(await queue({ kind: 'security' }), 'queued');
  const other = (await openAccount(ctx)).accountId;
  assert.equal(await queue({ kind: 'artwork_failed', accountId: other, to: 'ben@other.example' }), 'queued');
  work();
  const place = await eventually('the other account has its mail', () => {
    const at = server.received.findIndex(({ to }) => to[0] === 'ben@other.example');
    return at >= 0 && { before: at };
  });
  assert.ok(place.before <= 6, `${place.before} mails were before it`);
});

test('a mail that nobody has any use of any more is not sent', async () => {
  await queue({ uselessAt: ctx.clock.now() });
  work();
  const [row] = await ended();
  assert.deepEqual(row, { recipient: 'anna@shop.example', outcome: 'late', last_answer: '', has_content: false });
  assert.deepEqual(server.received, []);
});

test('a refusal for good ends the mail, and holds up no other', async () => {
  server.onRecipient = (address) => (address.startsWith('anna') ? { status: 550, text: 'no such user' } : undefined);
  await queue();
  await queue({ to: 'ben@shop.example' });
  work();
  assert.deepEqual(
    (await ended(2)).map(({ outcome, has_content: has }) => [outcome, has]),
    [
      ['refused', false],
      ['sent', false],
    ],
  );
  assert.equal((await rows())[0]?.last_answer, '550 no such user');
});

test('a mail that is set back is tried again, and says what the server answered meanwhile', async () => {
  let tries = 0;
  server.onRecipient = () => {
    tries += 1;
    return tries === 1 ? { status: 450, text: 'greylisted' } : undefined;
  };
  await queue();
  work();
  await eventually('it was set back', async () => (await rows())[0]?.last_answer === '450 greylisted');
  const [row] = await ended();
  assert.equal(row?.outcome, 'sent');
  assert.equal(tries, 2);
});

test('while the mail server is away mails wait without an attempt, and all go once it is back', async () => {
  const { port } = server.settings;
  await server.close();
  for (let number = 0; number < 5; number += 1) await queue();
  work();
  await eventually('one was set back', async () => ((await ctx.database.one(JOBS, []))?.setbacks ?? 0) > 0);
  assert.equal((await ctx.database.one(JOBS, []))?.attempts, 0);
  server = await startMailServer(port);
  await ended(5);
  assert.equal(server.received.length, 5);
});

test('a worker that dies after the server took a mail: it may come twice, under one Message-ID', async () => {
  await queue();
  server.closesAfterContent = true;
  work();
  await eventually('it was taken', () => server.received.length === 1);
  server.closesAfterContent = false;
  await ended();
  const ids = server.received.map(({ source }) => /^Message-ID: (.*)$/im.exec(source)?.[1]);
  assert.ok(ids.length === 2 && ids[0] === ids[1], ids.join(' '));
});

test('without a mail server nothing is recorded, and the caller is told', async () => {
  ctx = { ...ctx, config: { ...ctx.config, mail: undefined } };
  assert.equal(await queue(), 'no_server');
  assert.deepEqual(await rows(), []);
});

test('mails that were recorded before the mail server was taken away wait, and end when they are of no use', async () => {
  await queue();
  await queue({ uselessAt: ctx.clock.now() });
  ctx = { ...ctx, config: { ...ctx.config, mail: undefined } };
  work();
  const outcomes = async () => (await rows()).map(({ outcome }) => outcome);
  await eventually('one has ended', async () => (await outcomes()).includes('late'));
  await eventually('the other was tried', async () => ((await ctx.database.one(JOBS, []))?.setbacks ?? 0) > 0);
  assert.deepEqual(await outcomes(), [null, 'late']);
  assert.ok(ctx.logged.some((line) => line.includes('set SMTP_URL and MAIL_FROM again')));
});
