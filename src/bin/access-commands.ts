import { userInfo } from 'node:os';
import type { Actor } from '../accounts/access/act-on-access.ts';
import { disableUser, enableUser, removeSecondFactor, setPassword } from '../accounts/access/change-user.ts';
import { disableOperator } from '../accounts/access/disable-operator.ts';
import { enableOperator } from '../accounts/access/enable-operator.ts';
import {
  findUserByAddress,
  listOperators,
  listOperatorTokens,
  listSessions,
  listTokens,
  listUsers,
  type Part,
} from '../accounts/access/list-access.ts';
import { revokeSession } from '../accounts/access/revoke-session.ts';
import { revokeOperatorToken, revokeToken } from '../accounts/access/revoke-token.ts';
import { resumeAccount, suspendAccount } from '../accounts/access/suspend-account.ts';
import { passwordProblems } from '../accounts/create-user.ts';
import { makeResetLink } from '../accounts/portal/make-reset-link.ts';
import { listOpsAccounts } from '../accounts/read-for-ops.ts';
import type { AppContext } from '../app/context.ts';
import { publicId, type Uuid } from '../lib/ids.ts';
import type { Page } from '../lib/paging.ts';
import { type Output, withContext } from './commands.ts';
import { readPassword } from './read-password.ts';
import { poundsShown, printResult, UsageError } from './report.ts';

/** Options of a command that changes who may come in. */
export type Why = Output & { readonly reason?: string };
/** Options of a list; a longer one ends with its `next_cursor`. */
export type Listed = Output & { readonly cursor?: Uuid };

const LISTED_MAX = 1_000;
/** As many as a page of the operations API has. */
const ACCOUNTS_LISTED_MAX = 100;

/** Who runs this command: what the audit log names. */
export function commandLineActor(): Actor {
  return { kind: 'command line', osUser: osUser() };
}

/** A user of the machine that has no name, as in a container, is its number. */
function osUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

/** Prints a list by its name, with a line for each record, and where the rest begins if there is one. */
export async function printList<View>(
  options: Listed,
  name: string,
  read: (ctx: AppContext, part: Part) => Promise<Page<View>>,
  lineOf: (view: View) => string,
): Promise<void> {
  await withContext('migrated', async (ctx) => {
    const page = await read(ctx, { limit: LISTED_MAX, after: options.cursor });
    const rest = page.next_cursor === null ? {} : { next_cursor: page.next_cursor };
    const lines = page.data.length === 0 ? ['None.'] : page.data.map(lineOf);
    if (page.next_cursor !== null) lines.push(`There are more: --cursor ${page.next_cursor}`);
    printResult(options, { [name]: page.data, ...rest }, lines);
  });
}

/** `platen account list` */
export async function listCustomerAccounts(options: Listed & { name?: string }): Promise<void> {
  const name = options.name === undefined ? {} : { name: options.name };
  await printList(
    options,
    'accounts',
    (ctx, { after }) =>
      listOpsAccounts(ctx, {
        ...name,
        limit: String(ACCOUNTS_LISTED_MAX),
        ...(after === undefined ? {} : { cursor: publicId('acct', after) }),
      }),
    ({ id, name: called, balance_gbp: balance, billing, suspended_at: suspendedAt }) =>
      `${id}  ${called}  £${poundsShown(balance)}${billing === null ? '  without a billing identity' : ''}${ended('suspended', suspendedAt)}`,
  );
}

/** `platen account suspend` */
export async function suspendAccountNow(options: Output & { account: Uuid; reason: string }): Promise<void> {
  await withContext('migrated', async (ctx) => {
    await suspendAccount(ctx, commandLineActor(), options.account, options.reason);
    const id = publicId('acct', options.account);
    printResult(options, { id, suspended: true }, [`Suspended ${id}: its tokens, sessions and apps are refused.`]);
  });
}

/** `platen account resume` */
export async function resumeAccountNow(options: Why & { account: Uuid }): Promise<void> {
  await withContext('migrated', async (ctx) => {
    await resumeAccount(ctx, commandLineActor(), options.account, options.reason);
    const id = publicId('acct', options.account);
    printResult(options, { id, suspended: false }, [`Resumed ${id}: what it had before works again.`]);
  });
}

/** `platen token list` */
export async function listAccountTokens(options: Listed & { account: Uuid }): Promise<void> {
  await printList(
    options,
    'tokens',
    (ctx, part) => listTokens(ctx, options.account, part),
    ({ id, name, scopes, ...token }) =>
      `${id}  ${name || 'without a name'}  ${scopes.join(',')}  ${used(token)}${ended('revoked', token.revoked_at)}`,
  );
}

/** `platen token revoke` */
export async function revokeAccountToken(options: Why & { id: Uuid }): Promise<void> {
  await withContext('migrated', async (ctx) => {
    await revokeToken(ctx, commandLineActor(), options.id, options.reason);
    const id = publicId('tok', options.id);
    printResult(options, { id, revoked: true }, [`Revoked ${id}.`]);
  });
}

/** `platen session list` */
export async function listAccountSessions(options: Listed & { account: Uuid }): Promise<void> {
  await printList(
    options,
    'sessions',
    (ctx, part) => listSessions(ctx, options.account, part),
    (session) => `${session.id}  ${session.email}  from ${session.created_at} to ${session.expires_at}`,
  );
}

/** `platen session revoke` */
export async function revokeAccountSession(options: Why & { id: Uuid }): Promise<void> {
  await withContext('migrated', async (ctx) => {
    await revokeSession(ctx, commandLineActor(), options.id, options.reason);
    const id = publicId('ses', options.id);
    printResult(options, { id, revoked: true }, [`Revoked ${id}: the browser has to sign in again.`]);
  });
}

/** `platen user list` */
export async function listAccountUsers(options: Listed & { account: Uuid; email?: string }): Promise<void> {
  const { account, email } = options;
  await printList(
    options,
    'users',
    async (ctx, part) => {
      if (email === undefined) return listUsers(ctx, account, part);
      const { user } = await findUserByAddress(ctx, account, email);
      return { data: [user], has_more: false, next_cursor: null };
    },
    (user) => `${user.id}  ${user.email}${ended('disabled', user.disabled_at)}`,
  );
}

type OneUser = Why & { account: Uuid; email: string };

/** `platen user disable` */
export async function disableAccountUser(options: OneUser): Promise<void> {
  await withUser(options, async (ctx, id) => {
    await disableUser(ctx, commandLineActor(), id, options.reason);
    return { result: { disabled: true }, line: 'Disabled: all sessions and grants of the user ended.' };
  });
}

/** `platen user enable` */
export async function enableAccountUser(options: OneUser): Promise<void> {
  await withUser(options, async (ctx, id) => {
    await enableUser(ctx, commandLineActor(), id, options.reason);
    return { result: { disabled: false }, line: 'Enabled: the user may sign in again.' };
  });
}

/** `platen user password`; reads the password from standard input. */
export async function setUserPassword(options: OneUser): Promise<void> {
  const password = await readPassword();
  const [problem] = passwordProblems(password);
  if (problem !== undefined) throw new UsageError(`${problem.path}: ${problem.message}`);
  await withUser(options, async (ctx, id) => {
    await setPassword(ctx, commandLineActor(), id, { password, reason: options.reason });
    return { result: { changed: true }, line: 'Changed: all sessions and grants of the user ended.' };
  });
}

/** `platen user remove-second-factor` */
export async function removeUserSecondFactor(options: OneUser): Promise<void> {
  await withUser(options, async (ctx, id) => {
    await removeSecondFactor(ctx, commandLineActor(), id, options.reason);
    return { result: { second_factor: false }, line: 'Removed: the password alone signs in again.' };
  });
}

/** `platen user link` */
export async function makeUserLink(options: OneUser): Promise<void> {
  await withUser(options, async (ctx, id) => {
    const made = await makeResetLink(ctx, commandLineActor(), id, options.reason);
    if (made === undefined) throw new Error('a command was taken for a repeat');
    const until = `works once, until ${made.expires_at}`;
    const line =
      made.url === null ? `A link is on its way by mail; it ${until}.` : `Pass this link on; it ${until}:\n${made.url}`;
    return { result: made, line };
  });
}

async function withUser(
  options: OneUser,
  work: (ctx: AppContext, id: Uuid) => Promise<{ result: object; line: string }>,
): Promise<void> {
  await withContext('migrated', async (ctx) => {
    const { id, user } = await findUserByAddress(ctx, options.account, options.email);
    const { result, line } = await work(ctx, id);
    printResult(options, { id: user.id, email: user.email, ...result }, [`${user.email} (${user.id}). ${line}`]);
  });
}

/** `platen operator token list` */
export async function listTokensOfOperators(options: Listed & { email?: string }): Promise<void> {
  await printList(
    options,
    'tokens',
    (ctx, part) => listOperatorTokens(ctx, options.email, part),
    (token) => `${token.id}  ${token.email}  ${token.role}  ${used(token)}${ended('revoked', token.revoked_at)}`,
  );
}

/** `platen operator token revoke` */
export async function revokeTokenOfOperator(options: Why & { id: Uuid }): Promise<void> {
  await withContext('migrated', async (ctx) => {
    await revokeOperatorToken(ctx, commandLineActor(), options.id, options.reason);
    const id = publicId('otk', options.id);
    printResult(options, { id, revoked: true }, [`Revoked ${id}.`]);
  });
}

/** `platen operator list` */
export async function listShopOperators(options: Listed): Promise<void> {
  await printList(
    options,
    'operators',
    (ctx, part) => listOperators(ctx, part),
    (operator) => `${operator.id}  ${operator.email}  ${operator.role}${ended('disabled', operator.disabled_at)}`,
  );
}

/** `platen operator enable` */
export async function enableOperatorByEmail(options: Why & { email: string }): Promise<void> {
  await withContext('migrated', async (ctx) => {
    const { email } = await enableOperator(ctx, commandLineActor(), options.email, options.reason);
    printResult(options, { email, disabled: false }, [
      `Enabled ${email}. The tokens of before stay revoked: make one with platen operator token --email ${email}.`,
    ]);
  });
}

/** `platen operator disable` */
export async function disableOperatorByEmail(options: Why & { email: string }): Promise<void> {
  await withContext('migrated', async (ctx) => {
    const { email } = await disableOperator(ctx, commandLineActor(), options.email, options.reason);
    printResult(options, { email, disabled: true }, [`Disabled ${email}: none of the tokens works any more.`]);
  });
}

function used(token: { readonly last_used_at: string | null }): string {
  return token.last_used_at === null ? 'never used' : `used ${token.last_used_at}`;
}

/** What follows in a line when a thing has ended. */
export function ended(how: string, at: string | null): string {
  return at === null ? '' : `  ${how} ${at}`;
}
