import { SCOPES, type Scope } from '../lib/caller.ts';
import type { Context } from '../lib/context.ts';
import { noSuch, type Problem, validationFailed } from '../lib/errors.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { accountExists, insertOauthClient } from './sql.ts';
import { hashToken, newToken } from './token.ts';

const NAME_CHARACTERS_MAX = 100;
const REDIRECT_URIS_MAX = 20;
const REDIRECT_URI_CHARACTERS_MAX = 1_000;

/** The only hosts that a redirect may reach without TLS: the user's own machine (RFC 8252 7.3). */
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Registers an app for an account (decisions, "OAuth").
 * A confidential app gets a secret and may act for the account by itself. The secret is returned this once and stored
 * as a hash. A public app must have a redirect address. Scopes are the most that the app can ever be granted; all when
 * left out. Throws 404 for an unknown account, and 422 that names everything wrong with the input.
 */
export async function createOauthClient(
  ctx: Pick<Context, 'database' | 'clock'>,
  input: NewOauthClient,
): Promise<{ id: Uuid; secret: string | undefined; scopes: readonly Scope[] }> {
  const { row, secret } = makeOauthClient(input, ctx.clock.now());
  if (!(await accountExists(ctx.database, input.accountId))) throw noSuch('account');
  await insertOauthClient(ctx.database, row);
  return { id: row.id, secret, scopes: row.scopes };
}

/** An app to be registered. */
export type NewOauthClient = {
  readonly accountId: Uuid;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly scopes?: readonly Scope[];
  readonly isConfidential: boolean;
};

/**
 * Makes the row of an app, and its secret if it is confidential.
 * Throws 422 that names everything wrong with it.
 */
export function makeOauthClient(
  input: NewOauthClient,
  now: Date,
): { row: Parameters<typeof insertOauthClient>[1]; secret: string | undefined } {
  const problems = oauthClientProblems(input);
  if (problems.length > 0) throw validationFailed(problems);
  const secret = input.isConfidential ? newToken('ocs_') : undefined;
  const row = {
    id: newId(now.getTime()),
    accountId: input.accountId,
    name: input.name.trim(),
    secretHash: secret === undefined ? null : hashToken(secret),
    redirectUris: [...new Set(input.redirectUris)],
    scopes: [...new Set(input.scopes ?? SCOPES)],
    createdAt: now,
  };
  return { row, secret };
}

/** Problems of an app to be registered; empty when there are none. */
export function oauthClientProblems(input: {
  name: string;
  redirectUris: readonly string[];
  scopes?: readonly Scope[];
  isConfidential: boolean;
}): Problem[] {
  const problems: Problem[] = [];
  const name = input.name.trim();
  // The name is shown on the consent page, so it must not hide or reorder letters.
  if (name === '' || Array.from(name).length > NAME_CHARACTERS_MAX || /[\p{C}\p{Zl}\p{Zp}]/u.test(name)) {
    const message = `must have 1 to ${NAME_CHARACTERS_MAX} visible characters.`;
    problems.push({ path: 'name', code: 'pattern', message });
  }
  if (input.scopes?.length === 0) {
    problems.push({ path: 'scopes', code: 'required', message: 'must name at least one.', valid_values: SCOPES });
  }
  if (!input.isConfidential && input.redirectUris.length === 0) {
    const message = 'must name an address to redirect people to, unless the app is confidential and acts by itself.';
    problems.push({ path: 'redirect_uris', code: 'required', message });
  }
  if (input.redirectUris.length > REDIRECT_URIS_MAX) {
    problems.push({ path: 'redirect_uris', code: 'out_of_bounds', message: `at most ${REDIRECT_URIS_MAX}.` });
  }
  for (const [index, uri] of input.redirectUris.entries()) {
    const message = redirectUriProblem(uri);
    if (message !== undefined) problems.push({ path: `redirect_uris[${index}]`, code: 'url', message });
  }
  return problems;
}

function redirectUriProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || text.length > REDIRECT_URI_CHARACTERS_MAX || !/^[\x21-\x7e]+$/.test(text)) {
    return `must be an address in ASCII of at most ${REDIRECT_URI_CHARACTERS_MAX} characters.`;
  }
  if (url.href.includes('#') || url.username !== '' || url.password !== '') {
    return 'must have no fragment, user name or password.';
  }
  // A wildcard would look like one, although addresses are compared character by character. The host also goes into a
  // header of the consent page.
  if (!/^([a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(url.hostname)) return 'must name a host; there are no wildcards.';
  if (url.protocol === 'https:') return undefined;
  if (url.protocol === 'http:' && LOOPBACK_HOSTS.has(url.hostname)) return undefined;
  return 'must begin with https://, or with http:// on 127.0.0.1, [::1] or localhost.';
}
