import { takeCode } from '../accounts/second-factor/take-code.ts';
import { signIn } from '../accounts/sign-in.ts';
import {
  findLiveOauthClient,
  findLiveUser,
  lockUserWithPassword,
  type OauthClientRow,
  type UserRow,
} from '../accounts/sql.ts';
import { OAUTH_PATHS } from '../http/oauth-paths.ts';
import { SCOPES, SCOPES_OF_ROLE, type Scope } from '../lib/caller.ts';
import type { Context } from '../lib/context.ts';
import { newId, parseId, type Uuid } from '../lib/ids.ts';
import type { OAuthRequest } from './exchange.ts';
import type { Library, PendingAuthorization } from './library.ts';
import { consentPage, errorPage, type HtmlPage, signInPage } from './pages.ts';
import { insertGrant } from './sql.ts';

/** What a browser gets: a page, or the path where the flow continues. */
export type PageResult =
  | { readonly kind: 'page'; readonly status: number; readonly page: HtmlPage; readonly retryAfterSeconds?: number }
  | { readonly kind: 'go'; readonly path: string };

export type ConsentContext = Pick<Context, 'database' | 'clock' | 'secrets'>;

/** Which app asks for which scopes, and of which user; without a user, the person must sign in first. */
type Question = {
  readonly uid: string;
  readonly client: OauthClientRow;
  readonly user: UserRow | undefined;
  /** Of the scopes that the app asks for, those that the role of the user has. */
  readonly scopes: readonly Scope[];
  readonly withheld: readonly Scope[];
  readonly redirectUri: string;
};

/** Shows the page that a pending authorization needs: signing in, or consenting. */
export async function showQuestion(
  ctx: ConsentContext,
  library: Library,
  oauthRequest: OAuthRequest,
  uid: string,
): Promise<PageResult> {
  const question = await library.withInteraction(oauthRequest, (pending) => readQuestion(pending, uid));
  return question === undefined ? SIGN_IN_EXPIRED : { kind: 'page', status: 200, page: questionPage(ctx, question) };
}

/**
 * Handles the form of that page: sign in, allow, refuse, or switch user.
 * A form that was not made for this browser and request is refused (cross-site request forgery). An
 * approval is written as a grant in the transaction that lets the request continue.
 */
export async function answerQuestion(
  ctx: ConsentContext,
  library: Library,
  input: { oauthRequest: OAuthRequest; uid: string; form: URLSearchParams; ipKey: string },
): Promise<PageResult> {
  const { oauthRequest, uid, form } = input;
  const question = await library.withInteraction(oauthRequest, (pending) => readQuestion(pending, uid));
  if (question === undefined) return SIGN_IN_EXPIRED;
  if (!ctx.secrets.verify(proofText(question), form.get('proof') ?? '')) return INVALID_FORM;
  const action = form.get('action');
  if (action === 'deny') {
    return resume(library, oauthRequest, uid, (pending) =>
      pending.decide({ error: 'access_denied', error_description: 'The request was refused.' }),
    );
  }
  if (question.user === undefined)
    return action === 'sign_in' ? signInFor(ctx, library, input, question) : INVALID_FORM;
  // The page of such a question has no button for it.
  if (action === 'approve' && question.scopes.length === 0) return INVALID_FORM;
  if (action === 'approve') return resume(library, oauthRequest, uid, (pending) => allow(pending, question));
  if (action === 'switch') return resume(library, oauthRequest, uid, restart);
  return INVALID_FORM;
}

async function signInFor(
  ctx: ConsentContext,
  library: Library,
  input: { oauthRequest: OAuthRequest; uid: string; form: URLSearchParams; ipKey: string },
  question: Question,
): Promise<PageResult> {
  const email = input.form.get('email') ?? '';
  // Outside any transaction: comparing a password is slow on purpose.
  const outcome = await signIn(ctx, { email, password: input.form.get('password') ?? '', ipKey: input.ipKey });
  if (outcome.kind === 'refused') {
    const alert = 'The address or the password is not right.';
    return { kind: 'page', status: 422, page: questionPage(ctx, question, { email, alert }) };
  }
  if (outcome.kind === 'limited') {
    return limitedPage(ctx, question, { email, waitSeconds: outcome.waitSeconds });
  }
  const given = input.form.get('code') ?? undefined;
  const code = await takeCode(ctx, { userId: outcome.userId, code: given });
  if (code.kind === 'missing' || code.kind === 'wrong') {
    const alert =
      code.kind === 'missing'
        ? 'Give the password again, and the code that your app shows.'
        : 'The code is not right, or was used before. Wait for the next one.';
    return { kind: 'page', status: 422, page: questionPage(ctx, question, { email, alert, needsCode: true }) };
  }
  if (code.kind === 'limited')
    return limitedPage(ctx, question, { email, waitSeconds: code.waitSeconds, needsCode: true });
  return resume(library, input.oauthRequest, input.uid, async (pending) => {
    // The password may have been reset while the one that was sent was compared.
    const isStillRight = await lockUserWithPassword(pending.transaction.db, outcome.userId, outcome.passwordHash);
    if (!isStillRight) return undefined;
    await pending.signOutOthers(outcome.userId);
    return pending.decide({ login: { accountId: outcome.userId, remember: false } });
  });
}

function limitedPage(
  ctx: ConsentContext,
  question: Question,
  { email, waitSeconds, needsCode = false }: { email: string; waitSeconds: number; needsCode?: boolean },
): PageResult {
  const minutes = Math.ceil(waitSeconds / 60);
  const alert = `Too many attempts. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`;
  const page = questionPage(ctx, question, { email, alert, needsCode });
  return { kind: 'page', status: 429, page, retryAfterSeconds: waitSeconds };
}

/**
 * Decides in one transaction, in which the request is read again and locked.
 * Of two decisions one counts. A decision that comes too late returns undefined.
 */
async function resume(
  library: Library,
  oauthRequest: OAuthRequest,
  uid: string,
  decide: (pending: PendingAuthorization) => Promise<string | undefined>,
): Promise<PageResult> {
  const path = await library.withInteraction(oauthRequest, async (pending) =>
    pending.interaction.uid === uid ? decide(pending) : undefined,
  );
  return path === undefined ? SIGN_IN_EXPIRED : { kind: 'go', path };
}

/** Allows what the page has offered; undefined when the role of the person has changed meanwhile. */
async function allow(pending: PendingAuthorization, question: Question): Promise<string | undefined> {
  const { db, now } = pending.transaction;
  // The person is locked by now, as a change of their role locks them.
  const current = await readQuestion(pending, question.uid);
  if (current === undefined || proofText(current) !== proofText(question)) return undefined;
  const userId = pending.interaction.session?.accountId;
  if (userId === undefined) throw new Error('a consent without a user who has signed in');
  const grantId = newId(now.getTime());
  await insertGrant(db, {
    id: grantId,
    userId: userId as Uuid,
    clientId: question.client.id,
    scopes: question.scopes,
    createdAt: now,
  });
  return pending.decide({ consent: { grantId } });
}

/** Starts the same request again, signed out. */
async function restart(pending: PendingAuthorization): Promise<string> {
  await pending.signOutOthers(undefined);
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(pending.interaction.params)) {
    if (typeof value === 'string') query.set(name, value);
  }
  return `${OAUTH_PATHS.authorize}?${query.toString()}`;
}

async function readQuestion(
  { interaction, transaction }: PendingAuthorization,
  uid: string,
): Promise<Question | undefined> {
  if (interaction.uid !== uid) return undefined;
  const { client_id: clientId, redirect_uri: redirectUri, scope } = interaction.params;
  const id = typeof clientId === 'string' ? parseId('client', clientId) : undefined;
  const client = id === undefined ? undefined : await findLiveOauthClient(transaction.db, id);
  if (client === undefined || typeof redirectUri !== 'string' || typeof scope !== 'string') return undefined;
  const names = new Set(scope.split(' '));
  const asked = SCOPES.filter((known) => names.has(known));
  const question = { uid, client, redirectUri };
  if (interaction.prompt.name === 'login') return { ...question, user: undefined, scopes: asked, withheld: [] };
  const userId = interaction.session?.accountId;
  const user = userId === undefined ? undefined : await findLiveUser(transaction.db, userId as Uuid);
  if (user === undefined) return undefined;
  const own = new Set(SCOPES_OF_ROLE[user.role]);
  const scopes = asked.filter((known) => own.has(known));
  return { ...question, user, scopes, withheld: asked.filter((known) => !own.has(known)) };
}

function questionPage(
  ctx: ConsentContext,
  question: Question,
  attempt: { email?: string; alert?: string; needsCode?: boolean } = {},
): HtmlPage {
  const { uid, user, scopes, withheld, redirectUri } = question;
  const form = { action: `${OAUTH_PATHS.consent}/${uid}`, proof: ctx.secrets.sign(proofText(question)), redirectUri };
  const client = { name: question.client.name, registeredBy: question.client.account_name };
  const { email = '', alert, needsCode = false } = attempt;
  if (user === undefined) return signInPage({ form, client, email, alert, needsCode });
  return consentPage({ form, client, user: { email: user.email, accountName: user.account_name }, scopes, withheld });
}

/** Bound to one request, which a cookie binds to one browser, and to what its page has offered. */
function proofText({ uid, scopes }: Question): string {
  return `consent form ${uid} ${scopes.join(' ')}`;
}

const SIGN_IN_EXPIRED: PageResult = {
  kind: 'page',
  status: 400,
  page: errorPage({
    title: 'This sign-in is over',
    text: 'It was answered already, is older than fifteen minutes, or was started in another browser. Go back to the app and start again.',
  }),
};

const INVALID_FORM: PageResult = {
  kind: 'page',
  status: 403,
  page: errorPage({
    title: 'This form cannot be accepted',
    text: 'It does not belong to this sign-in. Go back to the app and start again.',
  }),
};
