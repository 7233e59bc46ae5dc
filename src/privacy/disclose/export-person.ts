import { createHmac } from 'node:crypto';
import { type Actor, actOnAccess, withKeyedHash } from '../../accounts/access/act-on-access.ts';
import { refuseRevoked } from '../../accounts/access/still-allowed.ts';
import { signedUrl } from '../../artwork/signed-url.ts';
import { isoTime } from '../../lib/clock.ts';
import { noSuch } from '../../lib/errors.ts';
import { FIRST_ID, publicId, type Uuid } from '../../lib/ids.ts';
import type { PrivacyContext } from '../context.ts';
import { findRecipientOrders } from '../erase/find-orders.ts';
import { findAccountOfOrder, findAccountToErase, listOrderFamily, listOrderIds } from '../erase/find-orders-sql.ts';
import type { Subject } from '../erase/request-erasure.ts';
import { listHeldDesigns, listHeldPostings, readHeldOfAccount, readHeldOfOrder } from './held-sql.ts';

/** Rows of an account that one page reads. */
const PAGE = 500;

/**
 * Discloses all that is held of an order, a recipient or an account, as the text of one JSON document.
 * It comes in pieces, an order at a time, so memory does not grow with it. Files are named by their hash, with a link
 * that works for an hour. Writes the audit log first, without the data. Throws 404 for an unknown account or order;
 * what is read ends with 401 once the operator's token is revoked.
 */
export async function exportPerson(
  ctx: PrivacyContext,
  actor: Actor,
  subject: Subject,
  reason: string | undefined,
): Promise<AsyncGenerator<string>> {
  if ((await findAccountToErase(ctx.database, subject.accountId)) === undefined) throw noSuch('account');
  if (subject.scope === 'order' && (await findAccountOfOrder(ctx.database, subject.orderId)) !== subject.accountId) {
    throw noSuch('order');
  }
  const order = subject.scope === 'order' ? { order_id: publicId('ord', subject.orderId) } : {};
  const detail = { account_id: publicId('acct', subject.accountId), scope: subject.scope, ...order };
  const act = { action: 'export_person', subjectId: subject.accountId, detail, reason };
  // A plain hash of the request would name a recipient to those who can guess.
  const by = withKeyedHash(ctx, actor, (digest, request) =>
    createHmac('sha256', digest(`export-person ${request}`)).digest(),
  );
  await actOnAccess(ctx, by, act, async () => {});
  return whileAllowed(ctx, actor, documentOf(ctx, subject));
}

/** How often a disclosure that is under way asks whether its operator still may. */
const ASK_AGAIN_MS = 1_000;

/** A long document outlasts a token that is revoked meanwhile: then the answer is cut. */
async function* whileAllowed(
  ctx: PrivacyContext,
  actor: Actor,
  pieces: AsyncGenerator<string>,
): AsyncGenerator<string> {
  let askedAt = ctx.clock.now().getTime();
  for await (const piece of pieces) {
    yield piece;
    const now = ctx.clock.now().getTime();
    if (now - askedAt < ASK_AGAIN_MS) continue;
    askedAt = now;
    await refuseRevoked(ctx.database, actor);
  }
}

async function* documentOf(ctx: PrivacyContext, subject: Subject): AsyncGenerator<string> {
  const { accountId } = subject;
  yield `{"generated_at":${JSON.stringify(isoTime(ctx.clock.now()))},"scope":${JSON.stringify(subject.scope)},`;
  yield `"account_id":${JSON.stringify(publicId('acct', accountId))},`;
  if (subject.scope === 'account') {
    yield `"account":${JSON.stringify((await readHeldOfAccount(ctx.database, accountId))?.held ?? null)},`;
    yield* list('postings', postingsOf(ctx, accountId));
    yield ',';
    yield* list('pictures', picturesOf(ctx, accountId));
    yield ',';
  }
  yield* list('orders', ordersOf(ctx, subject));
  yield '}\n';
}

async function* list(name: string, items: AsyncGenerator<string>): AsyncGenerator<string> {
  yield `${JSON.stringify(name)}:[`;
  let isFirst = true;
  for await (const item of items) {
    yield isFirst ? item : `,${item}`;
    isFirst = false;
  }
  yield ']';
}

async function* postingsOf(ctx: PrivacyContext, accountId: Uuid): AsyncGenerator<string> {
  for (let after = FIRST_ID as Uuid; ; ) {
    const page = await listHeldPostings(ctx.database, accountId, after, PAGE);
    for (const { posting } of page) yield JSON.stringify(posting);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.id;
  }
}

async function* picturesOf(ctx: PrivacyContext, accountId: Uuid): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const page = await listHeldDesigns(ctx.database, accountId, after, PAGE);
    for (const { hash, created_at: createdAt } of page) {
      yield JSON.stringify({ ...fileOf(ctx, hash), created_at: isoTime(createdAt) });
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.hash;
  }
}

async function* ordersOf(ctx: PrivacyContext, subject: Subject): AsyncGenerator<string> {
  const seen = new Set<Uuid>();
  for await (const orderIds of idsOf(ctx, subject)) {
    for (const orderId of orderIds) {
      // The pages of a search may overlap with those of what it does not know yet.
      if (seen.has(orderId)) continue;
      if (subject.scope === 'recipient') seen.add(orderId);
      const found = await readHeldOfOrder(ctx.database, subject.accountId, orderId);
      if (found === undefined) continue;
      yield JSON.stringify({ ...Object(found.held), files: found.files.map((hash) => fileOf(ctx, hash)) });
    }
  }
}

async function* idsOf(ctx: PrivacyContext, subject: Subject): AsyncGenerator<Uuid[]> {
  const { accountId } = subject;
  if (subject.scope === 'order') yield await listOrderFamily(ctx.database, accountId, subject.orderId);
  if (subject.scope === 'recipient') yield* findRecipientOrders(ctx.database, accountId, subject.recipient);
  if (subject.scope !== 'account') return;
  for (let after = FIRST_ID as Uuid; ; ) {
    const page = await listOrderIds(ctx.database, accountId, after, PAGE);
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last;
  }
}

function fileOf(ctx: PrivacyContext, hash: string): { sha256: string; url: string } {
  return { sha256: hash, url: signedUrl(ctx.secrets, ctx.config.baseUrl, hash, ctx.clock.now()) };
}
