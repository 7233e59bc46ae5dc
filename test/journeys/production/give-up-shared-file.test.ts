import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { giveUpPrintFile } from '../../../src/artwork/give-up.ts';
import { NORMALISE_JOB } from '../../../src/artwork/sql.ts';
import type { Db } from '../../../src/lib/db.ts';
import { openFloor, placeOrder } from '../../harness/floor.ts';
import { type MailServer, startMailServer } from '../../harness/mail-server.ts';
import { openRole } from '../../harness/portal.ts';
import { NO_INK, printWorkers } from '../../harness/print-workers.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { assertSound, rows } from '../../harness/written.ts';

let service: TestService;
let mails: MailServer;
before(async () => {
  mails = await startMailServer();
  service = await startTestService({ role: 'api' });
});
after(async () => {
  await service.stop();
  await mails.close();
});

const ORDERS = 50;

test('a file of 50 orders that is given up is one mail a person, few statements, and a task an order', async () => {
  await openRole(service, 'owner');
  await openRole(service, 'orders');
  const workers = printWorkers(service);
  const item = await workers.ownItem();
  const placed = [];
  for (let count = 0; count < ORDERS; count += 1) placed.push(await placeOrder(service, { items: [item] }));
  const [job] = await rows<{ key: string }>(service, 'select key from job where kind = $1', [NORMALISE_JOB]);
  let statements = 0;
  const counted = (tx: Db): Db => ({
    ...tx,
    all: (what, values) => {
      statements += 1;
      return tx.all(what, values);
    },
    one: (what, values) => {
      statements += 1;
      return tx.one(what, values);
    },
  });
  const { ctx } = service;
  const database: typeof ctx.database = {
    ...ctx.database,
    transaction: (work) => ctx.database.transaction((tx) => work(counted(tx))),
  };
  await giveUpPrintFile({ ...ctx, database, config: { ...ctx.config, mail: mails.settings } }, job?.key ?? '', NO_INK);
  const people = "select recipient from mail where kind = 'artwork_failed'";
  const mailed = await rows<{ recipient: string }>(service, people, []);
  assert.equal(mailed.length, new Set(mailed.map(({ recipient }) => recipient)).size, 'one a person');
  assert.ok(mailed.length >= 2, `${mailed.length} mails`);
  assert.ok(statements <= 5 + 3 * mailed.length, `${statements} statements`);
  const [sealed] = await rows<{ sealed: Buffer; sealed_with: string }>(
    service,
    'select * from mail_content limit 1',
    [],
  );
  const said = ctx.secrets.unseal({ bytes: sealed?.sealed ?? Buffer.alloc(0), keyId: sealed?.sealed_with ?? null });
  assert.match(said, /"The artwork of 50 orders could not be made"/);
  assert.deepEqual(
    placed.map(({ reference }) => said.includes(reference)),
    placed.map((_, place) => place < 20),
  );
  assert.match(said, /and 30 more/);
  const floor = await openFloor(service);
  const [last] = placed.slice(-1);
  const [task] = last === undefined ? [] : await workers.tasksOf(floor, last);
  assert.match(task?.note ?? '', new RegExp(`^${last?.reference}: .* for front could not be made: The disk is full`));
  const failures = 'select count(distinct (order_id, task_id))::integer as n from artwork_failure';
  assert.deepEqual(await rows(service, failures, []), [{ n: ORDERS }]);
  await assertSound(service);
});
