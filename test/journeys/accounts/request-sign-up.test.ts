import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mailSignUp } from '../../../src/accounts/joining/mail-sign-up.ts';
import { insertSignUp } from '../../../src/accounts/joining/sign-up-sql.ts';
import { newId, publicId } from '../../../src/lib/ids.ts';
import type { Smtp } from '../../../src/lib/mail/smtp.ts';
import { createSecrets } from '../../../src/lib/secrets.ts';
import { eventually } from '../../harness/context.ts';
import { openPerson } from '../../harness/oauth.ts';
import { call } from '../../harness/portal.ts';
import { startTestService } from '../../harness/service.ts';
import { problemsOf } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import { type Entrance, openEntrance } from './sign-ups.ts';

let entrance: Entrance;
before(async () => {
  entrance = await openEntrance('open');
});
after(() => entrance.close());

test('a known address gets the same answer as any, and a mail that says so; nothing is kept', async () => {
  const person = await openPerson(entrance.service);
  const { status, text } = await entrance.ask(person.email);
  assert.deepEqual([status, text], [202, '']);
  const mail = await entrance.mailbox.mailTo(person.email);
  assert.equal(mail.subject, 'You sign in at Harbour Press already');
  assert.doesNotMatch(mail.text, /#/);
  const kept = 'select from sign_up where email = $1';
  await eventually('it is gone', async () => (await rows(entrance.service, kept, [person.email])).length === 0);
});

test('nothing that was typed into the form stands in the mail, and the token is kept as a hash alone', async () => {
  const changes = { name: 'Buy at evil.example', company: 'You have won' };
  assert.equal((await entrance.ask('a@shop.example', changes)).status, 202);
  const mail = await entrance.mailbox.mailTo('a@shop.example');
  assert.doesNotMatch(mail.subject + mail.text + mail.html, /evil|won/);
  const token = /confirm#([\w-]{43})/.exec(mail.text)?.[1] ?? '';
  const kept = [
    ...(await rows(entrance.service, 'select s::text from sign_up s', [])),
    ...(await rows(entrance.service, 'select j::text from job j', [])),
  ];
  assert.ok(token !== '' && !JSON.stringify(kept).includes(token));
});

test('a repeat of the mail has the same link, also once SECRET_KEY was exchanged; one of a sign-up that is over sends nothing', async () => {
  const { ctx } = entrance.service;
  const now = ctx.clock.now();
  const id = newId(now.getTime());
  const row = {
    id,
    email: 'again@shop.example',
    name: 'Ada',
    company: 'Byron Ltd',
    country_code: 'GB',
    created_at: now,
  };
  await insertSignUp(ctx.database, { ...row, endsAt: new Date(now.getTime() + 3_600_000) });
  const tokens: string[] = [];
  const smtp: Smtp = {
    send: async ({ text }) => {
      tokens.push(/confirm#([\w-]{43})/.exec(text)?.[1] ?? '');
      return { kind: 'later', answer: '421 busy' };
    },
  };
  const key = publicId('sup', id);
  const before = createSecrets('the key before'.repeat(4));
  const after = createSecrets('the key after'.repeat(4), ['the key before'.repeat(4)]);
  for (const secrets of [before, before, after]) {
    await assert.rejects(mailSignUp({ ...ctx, secrets }, smtp, key));
  }
  assert.equal(tokens.length, 3);
  assert.match(tokens[0] ?? '', /./);
  assert.deepEqual(new Set(tokens), new Set([tokens[0]]));
  assert.equal((await entrance.confirm(tokens[0] ?? '')).status, 201);
  await mailSignUp(ctx, smtp, key);
  await mailSignUp(ctx, undefined, key);
  assert.equal(tokens.length, 3);
});

test('the fourth of a day for an address is 429, and what is malformed 422', async () => {
  const statuses = [];
  for (let time = 0; time < 4; time += 1) statuses.push((await entrance.ask('b@shop.example')).status);
  assert.deepEqual(statuses, [202, 202, 202, 429]);
  assert.deepEqual(
    await rows(entrance.service, "select count(*)::integer as n from sign_up where email = 'b@shop.example'", []),
    [{ n: 1 }],
  );
  const wrong = await entrance.ask('nonsense', { name: 'A\u202eB', country_code: 'XX' });
  assert.deepEqual(problemsOf(wrong).toSorted(), ['country_code unknown_country', 'email pattern', 'name pattern']);
  const selling = await entrance.ask('d@shop.example', {
    name: 'See WWW.evil.example',
    company: 'Pay at https://evil.example',
  });
  assert.deepEqual(
    problemsOf(selling).toSorted(),
    ['company pattern', 'name pattern'],
    'both stand in mails of the shop',
  );
});

test('a thousand that are not confirmed, or that wait, are too many; each is counted apart', async () => {
  const { database } = entrance.service.ctx;
  const fill = async (from: number, to: number, confirmed: 'now()' | 'null'): Promise<void> => {
    await database.script(
      `insert into sign_up (id, email, name, company, country_code, created_at, ends_at, confirmed_at, password_hash)
       select gen_random_uuid(), 'full.' || n || '@shop.example', '', '', 'GB', now(), now() + interval '20 hours', ${confirmed},
         case when ${confirmed} is null then null else 'x' end from generate_series(${from}, ${to}) as n`,
    );
  };
  await database.script('delete from sign_up');
  await fill(1, 600, 'null');
  await fill(601, 1_200, 'now()');
  assert.equal((await entrance.ask('d@shop.example')).status, 202, '600 of each');
  await fill(1_201, 1_599, 'null');
  assert.equal((await entrance.ask('e@shop.example')).status, 503, 'a thousand that are not confirmed');
  await database.script('delete from sign_up where confirmed_at is null');
  await fill(1_600, 1_999, 'now()');
  assert.equal((await entrance.ask('e@shop.example')).status, 503, 'a thousand that wait');
  await database.script('delete from sign_up');
});

test('without the setting accounts are not opened so', async () => {
  const closed = await startTestService({ role: 'api' });
  const refused = await call(closed, 'POST', '/portal/api/v1/sign-ups', {
    body: { email: 'c@shop.example', name: 'Ada', company: 'Byron', country_code: 'GB' },
    headers: { origin: closed.url },
  });
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
  await closed.stop();
});
