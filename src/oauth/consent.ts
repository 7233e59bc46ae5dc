import { signIn } from '../accounts/sign-in.ts';
import { findLiveOauthClient, findLiveUser, type OauthClientRow, type UserRow } from '../accounts/sql.ts';
import { OAUTH_PATHS } from '../http/oauth-paths.ts';
import { SCOPES, type Scope } from '../lib/caller.ts';
import type { Context } from '../lib/context.ts';
import { newId, parseId, type Uuid } from '../lib/ids.ts';
import type { Asked } from './exchange.ts';
import type { Library, Waiting } from './library.ts';
import { consentPage, errorPage, type Page, signInPage } from './pages.ts';
import { insertGrant } from './sql.ts';

/** What a browser is told: a page, or where to go on. */
export type Told =
  | { readonly kind: 'page'; readonly status: number; readonly page: Page; readonly retryAfterSeconds?: number }
  | { readonly kind: 'go'; readonly path: string };

export type ConsentContext = Pick<Context, 'database' | 'clock' | 'secrets'>;

/** Who asks for what, and who is asked; without a user, that one has to sign in first. */
type Question = {
  readonly uid: string;
  readonly client: OauthClientRow;
  readonly user: UserRow | undefined;
  readonly scopes: readonly Scope[];
  readonly redirectUri: string;
};

/** Shows the page that a browser's authorization request waits with: signing in, or consenting. */
export async function showQuestion(ctx: ConsentContext, library: Library, asked: Asked, uid: string): Promise<Told> {
  const question = await library.meet(asked, (waiting) => readQuestion(waiting, uid));
  return question === undefined ? OVER : { kind: 'page', status: 200, page: questionPage(ctx, question) };
}

/**
 * Takes what a person has sent from that page: signing in, allowing, refusing, or changing who is signed in. A form that was not
 * made for this browser and request is refused (cross-site request forgery). What is allowed is written as a grant in the
 * transaction that lets the request go on.
 */
export async function answerQuestion(
  ctx: ConsentContext,
  library: Library,
  input: { asked: Asked; uid: string; form: URLSearchParams; ipKey: string },
): Promise<Told> {
  const { asked, uid, form } = input;
  const question = await library.meet(asked, (waiting) => readQuestion(waiting, uid));
  if (question === undefined) return OVER;
  if (!ctx.secrets.verify(proofText(uid), form.get('proof') ?? '')) return FORGED;
  const action = form.get('action');
  if (action === 'deny') {
    return goOn(library, asked, uid, (waiting) =>
      waiting.decide({ error: 'access_denied', error_description: 'The request was refused.' }),
    );
  }
  if (question.user === undefined) return action === 'sign_in' ? signInFor(ctx, library, input, question) : FORGED;
  if (action === 'approve') return goOn(library, asked, uid, (waiting) => allow(waiting, question));
  if (action === 'switch') return goOn(library, asked, uid, beginAnew);
  return FORGED;
}

async function signInFor(
  ctx: ConsentContext,
  library: Library,
  input: { asked: Asked; uid: string; form: URLSearchParams; ipKey: string },
  question: Question,
): Promise<Told> {
  const email = input.form.get('email') ?? '';
  // Outside of any transaction: comparing a password takes long on purpose.
  const outcome = await signIn(ctx, { email, password: input.form.get('password') ?? '', ipKey: input.ipKey });
  if (outcome.kind === 'refused') {
    const alert = 'The address or the password is not right.';
    return { kind: 'page', status: 422, page: questionPage(ctx, question, { email, alert }) };
  }
  if (outcome.kind === 'limited') {
    const minutes = Math.ceil(outcome.waitSeconds / 60);
    const alert = `Too many attempts. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`;
    const page = questionPage(ctx, question, { email, alert });
    return { kind: 'page', status: 429, page, retryAfterSeconds: outcome.waitSeconds };
  }
  return goOn(library, input.asked, input.uid, async (waiting) => {
    await waiting.signOutOthers(outcome.userId);
    return waiting.decide({ login: { accountId: outcome.userId, remember: false } });
  });
}

/** Decides in one transaction, in which the request is looked at once more and held: of two decisions one counts. */
async function goOn(
  library: Library,
  asked: Asked,
  uid: string,
  decide: (waiting: Waiting) => Promise<string>,
): Promise<Told> {
  const path = await library.meet(asked, async (waiting) =>
    waiting.interaction.uid === uid ? decide(waiting) : undefined,
  );
  return path === undefined ? OVER : { kind: 'go', path };
}

async function allow(waiting: Waiting, question: Question): Promise<string> {
  const { db, now } = waiting.moment;
  const userId = waiting.interaction.session?.accountId;
  if (userId === undefined) throw new Error('a consent without anybody who has signed in');
  const grantId = newId(now.getTime());
  await insertGrant(db, {
    id: grantId,
    userId: userId as Uuid,
    clientId: question.client.id,
    scopes: question.scopes,
    createdAt: now,
  });
  return waiting.decide({ consent: { grantId } });
}

/** The same request from the beginning, with nobody signed in. */
async function beginAnew(waiting: Waiting): Promise<string> {
  await waiting.signOutOthers(undefined);
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(waiting.interaction.params)) {
    if (typeof value === 'string') query.set(name, value);
  }
  return `${OAUTH_PATHS.authorize}?${query.toString()}`;
}

async function readQuestion({ interaction, moment }: Waiting, uid: string): Promise<Question | undefined> {
  if (interaction.uid !== uid) return undefined;
  const { client_id: clientId, redirect_uri: redirectUri, scope } = interaction.params;
  const id = typeof clientId === 'string' ? parseId('client', clientId) : undefined;
  const client = id === undefined ? undefined : await findLiveOauthClient(moment.db, id);
  if (client === undefined || typeof redirectUri !== 'string' || typeof scope !== 'string') return undefined;
  const names = new Set(scope.split(' '));
  const scopes = SCOPES.filter((known) => names.has(known));
  if (interaction.prompt.name === 'login') return { uid, client, user: undefined, scopes, redirectUri };
  const userId = interaction.session?.accountId;
  const user = userId === undefined ? undefined : await findLiveUser(moment.db, userId as Uuid);
  return user === undefined ? undefined : { uid, client, user, scopes, redirectUri };
}

function questionPage(
  ctx: ConsentContext,
  question: Question,
  attempt: { email: string; alert: string | undefined } = { email: '', alert: undefined },
): Page {
  const { uid, user, scopes, redirectUri } = question;
  const form = { action: `${OAUTH_PATHS.consent}/${uid}`, proof: ctx.secrets.sign(proofText(uid)), redirectUri };
  const client = { name: question.client.name, registeredBy: question.client.account_name };
  if (user === undefined) return signInPage({ form, client, ...attempt });
  return consentPage({ form, client, user: { email: user.email, accountName: user.account_name }, scopes });
}

/** Bound to the one request, which in turn is bound to the browser by a cookie that only it has. */
function proofText(uid: string): string {
  return `consent form ${uid}`;
}

const OVER: Told = {
  kind: 'page',
  status: 400,
  page: errorPage({
    title: 'This sign-in is over',
    text: 'It has been answered already, it is older than fifteen minutes, or it was begun in another browser. Go back to the app and begin again.',
  }),
};

const FORGED: Told = {
  kind: 'page',
  status: 403,
  page: errorPage({
    title: 'This form cannot be taken',
    text: 'It was not made for this sign-in. Go back to the app and begin again.',
  }),
};
