import assert from 'node:assert/strict';
import { publicId, type Uuid } from '../../../src/lib/ids.ts';
import {
  type App,
  authorizePath,
  type Browser,
  obtainCode,
  obtainTokens,
  openApp,
  openBrowser,
  openPerson,
  type Person,
  proofOf,
  reachPage,
  redeem,
  refresh,
  signInOn,
  type TokenReply,
  type Visit,
} from '../../harness/oauth.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { rows } from '../../harness/written.ts';
import { isAccepted, otherNode, service, untilUnknown } from './access.ts';

/** An account with an owner and so many readers, and the id of the one that was added last. */
export async function openCrowd(count: number): Promise<{ owner: PortalClient; last: string }> {
  const { accountId } = await service.openCustomer();
  const owner = await openRole(service, 'owner', accountId);
  await rows(
    service,
    `insert into account_user (account_id, id, email, password_hash, role, name, created_at)
     select $1::uuid, uuid_v7($2::timestamptz + make_interval(secs => n)), n || '.' || $1::uuid || '@example.com', 'none', 'reader', '', $2
     from generate_series(1, $3) as n`,
    [accountId, service.ctx.clock.now(), count],
  );
  const [last] = await rows<{ id: Uuid }>(
    service,
    'select id from account_user where account_id = $1 order by id desc limit 1',
    [accountId],
  );
  return { owner, last: publicId('user', last?.id ?? assert.fail()) };
}

/** A person with all that can end: a session that waits for a consent, tokens, and a code. */
export type SignedIn = {
  readonly person: Person;
  readonly path: string;
  readonly app: App;
  readonly browser: Browser;
  readonly consent: { path: string; page: Visit };
  readonly tokens: TokenReply;
  readonly code: string;
};

/** Signs a person of a new account in, and allows an app. */
export async function openSignedIn(): Promise<SignedIn> {
  const { accountId } = await service.openCustomer();
  const person = await openPerson(service, accountId);
  const app = await openApp(service);
  const browser = openBrowser(service);
  const consent = await signInOn(browser, await reachPage(browser, authorizePath(app)), person);
  assert.ok(consent.page.text.includes('Every token is live'), consent.page.text);
  const tokens = await obtainTokens(service, app, person);
  assert.ok(await isAccepted(tokens.access_token));
  const code = await obtainCode(service, app, person);
  return { person, path: `/users/${publicId('user', person.id)}`, app, browser, consent, tokens, code };
}

/** All of it is over: tokens, refresh token, code, the session, and the consent that waits in it. */
export async function assertAllEnded({ app, browser, consent, tokens, code }: SignedIn): Promise<void> {
  await untilUnknown(tokens.access_token);
  for (const node of [service, otherNode]) {
    const refreshed = await refresh(node, app, tokens.refresh_token);
    assert.deepEqual([refreshed.status, refreshed.body.error], [400, 'invalid_grant']);
    const redeemed = await redeem(node, app, code);
    assert.deepEqual([redeemed.status, redeemed.body.error], [400, 'invalid_grant']);
  }
  const answered = await browser.post(consent.path, { proof: proofOf(consent.page), action: 'approve' });
  assert.equal(answered.status, 400);
  assert.ok(await mustSignIn(browser, app), 'the session is over');
}

/** Whether a browser is asked for a password. */
export async function mustSignIn(browser: Browser, app: App): Promise<boolean> {
  return (await reachPage(browser, authorizePath(app))).page.text.includes('id="password"');
}

/** What the consent page answers to a password: its status. */
export async function signInStatus({ app, person }: SignedIn, password?: string): Promise<number> {
  const browser = openBrowser(otherNode);
  const waiting = await reachPage(browser, authorizePath(app));
  const given = { email: person.email, ...(password === undefined ? {} : { password }) };
  const { page } = await signInOn(browser, waiting, given);
  return page.status;
}
