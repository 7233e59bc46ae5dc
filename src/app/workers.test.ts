import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RESET_JOB } from '../accounts/joining/request-reset.ts';
import { SIGN_UP_JOB } from '../accounts/joining/sign-up.ts';
import { MAIL_JOB } from '../accounts/mail/sql.ts';
import { NORMALISE_JOB } from '../artwork/sql.ts';
import { STOCK_CHANGED } from '../catalogue/change-stock.ts';
import { SHOP_ORDER_JOB } from '../channels/inbox/receive-order.ts';
import { INBOX_CHANGED } from '../channels/inbox/run-inbox.ts';
import { SYNC_DUE } from '../channels/linked/run-syncs.ts';
import { SHOP_SYNC_JOB, SLOW_SHOP_SYNC_JOB } from '../channels/linked/sync-shop.ts';
import { BUYER_REQUEST_JOB } from '../channels/linked/take-privacy-request.ts';
import { ORDER_FILES_CHANGED } from '../checkout/order-files/order-files.ts';
import { DELIVERIES_RECORDED, REPLAYED_ATTEMPTED } from '../webhooks/deliver.ts';
import { REPLAYS_CHANGED } from '../webhooks/recovery/run-replays.ts';
import { startWorkers, WORKERS, type WorkerEntry } from './workers.ts';

test('every hint that a use case gives has the one worker that it is for', () => {
  const woken = Object.fromEntries(
    [
      ...[NORMALISE_JOB, MAIL_JOB, RESET_JOB, SIGN_UP_JOB, SHOP_ORDER_JOB, INBOX_CHANGED],
      ...[SHOP_SYNC_JOB, SLOW_SHOP_SYNC_JOB, SYNC_DUE, BUYER_REQUEST_JOB],
      ...[DELIVERIES_RECORDED, REPLAYS_CHANGED, REPLAYED_ATTEMPTED, STOCK_CHANGED, ORDER_FILES_CHANGED],
    ].map((hint) => [hint, WORKERS.filter(({ wokenBy }) => wokenBy.includes(hint)).map(({ name }) => name)]),
  );
  assert.deepEqual(woken, {
    [NORMALISE_JOB]: ['jobs'],
    [MAIL_JOB]: ['jobs'],
    [RESET_JOB]: ['jobs'],
    [SIGN_UP_JOB]: ['jobs'],
    [DELIVERIES_RECORDED]: ['deliveries'],
    [REPLAYS_CHANGED]: ['webhook recovery'],
    [REPLAYED_ATTEMPTED]: ['webhook recovery'],
    [STOCK_CHANGED]: ['automatic promotion'],
    [ORDER_FILES_CHANGED]: ['order files'],
    [SHOP_ORDER_JOB]: ['jobs'],
    [INBOX_CHANGED]: ['connected shops'],
    [SHOP_SYNC_JOB]: ['jobs'],
    [SLOW_SHOP_SYNC_JOB]: ['jobs'],
    [BUYER_REQUEST_JOB]: ['jobs'],
    [SYNC_DUE]: ['linked shops'],
  });
  assert.equal(WORKERS.flatMap(({ wokenBy }) => wokenBy).length, 15);
});

test('workers start in the order of the list, but for those turned off; hints and the stop reach them', async () => {
  const calls: string[] = [];
  const entry = (name: string, wokenBy: readonly string[]): WorkerEntry<{ off: string }> => ({
    name,
    wokenBy,
    start: ({ off }) => {
      if (name === off) return undefined;
      calls.push(`${name} started`);
      return {
        wake: (hint) => void calls.push(`${name} woken by ${hint}`),
        stop: async (graceMs) => void calls.push(`${name} stopped within ${graceMs}`),
      };
    },
  });
  const worker = startWorkers({ off: 'b' }, [entry('a', ['x']), entry('b', ['x']), entry('c', ['y'])]);
  worker.wake('x');
  worker.wake('y');
  await worker.stop(7);
  assert.deepEqual(calls, [
    'a started',
    'c started',
    'a woken by x',
    'c woken by y',
    'a stopped within 7',
    'c stopped within 7',
  ]);
});
