import { SCOPES, type Scope } from '../lib/caller.ts';
import type { Context } from '../lib/context.ts';
import { noSuch, type Problem, validationFailed } from '../lib/errors.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { accountExists, insertOauthClient } from './sql.ts';
import { hashToken, newToken } from './token.ts';

const NAME_CHARACTERS_MAX = 100;
const REDIRECT_URIS_MAX = 20;
const REDIRECT_URI_CHARACTERS_MAX = 1_000;

/** The only hosts that a redirect may reach without TLS: the person's own machine (RFC 8252 7.3). */
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Registers an app for an account (decisions, "OAuth"). A confidential one gets a secret, which is returned this once and stored
 * as a hash; it may act for the account by itself. A public one must have a redirect address. Scopes bound what the app can ever
 * be granted; all when left out. Unknown account: 404; all that is wrong with the input at once: 422.
 */
export async function createOauthClient(
  ctx: Pick<Context, 'database' | 'clock'>,
  input: {
    accountId: Uuid;
    name: string;
    redirectUris: readonly string[];
    scopes?: readonly Scope[];
    isConfidential: boolean;
  },
): Promise<{ id: Uuid; secret: string | undefined; scopes: readonly Scope[] }> {
  const problems = oauthClientProblems(input);
  if (problems.length > 0) throw validationFailed(problems);
  const scopes = [...new Set(input.scopes ?? SCOPES)];
  const redirectUris = [...new Set(input.redirectUris)];
  if (!(await accountExists(ctx.database, input.accountId))) throw noSuch('account');
  const now = ctx.clock.now();
  const id = newId(now.getTime());
  const secret = input.isConfidential ? newToken('ocs_') : undefined;
  await insertOauthClient(ctx.database, {
    id,
    accountId: input.accountId,
    name: input.name.trim(),
    secretHash: secret === undefined ? null : hashToken(secret),
    redirectUris,
    scopes,
    createdAt: now,
  });
  return { id, secret, scopes };
}

/** What is wrong with an app to be registered; nothing when it will do. */
export function oauthClientProblems(input: {
  name: string;
  redirectUris: readonly string[];
  scopes?: readonly Scope[];
  isConfidential: boolean;
}): Problem[] {
  const problems: Problem[] = [];
  const name = input.name.trim();
  // The name stands on the page where people consent: nothing that hides or turns letters round.
  if (name === '' || Array.from(name).length > NAME_CHARACTERS_MAX || /[\p{C}\p{Zl}\p{Zp}]/u.test(name)) {
    const message = `must have 1 to ${NAME_CHARACTERS_MAX} visible characters.`;
    problems.push({ path: 'name', code: 'pattern', message });
  }
  if (input.scopes?.length === 0) {
    problems.push({ path: 'scopes', code: 'required', message: 'must name at least one.', valid_values: SCOPES });
  }
  if (!input.isConfidential && input.redirectUris.length === 0) {
    const message = 'an app needs an address to send people back to, unless it is confidential and acts by itself.';
    problems.push({ path: 'redirect_uris', code: 'required', message });
  }
  if (input.redirectUris.length > REDIRECT_URIS_MAX) {
    problems.push({ path: 'redirect_uris', code: 'out_of_bounds', message: `at most ${REDIRECT_URIS_MAX}.` });
  }
  for (const [index, uri] of input.redirectUris.entries()) {
    const message = redirectUriTrouble(uri);
    if (message !== undefined) problems.push({ path: `redirect_uris[${index}]`, code: 'url', message });
  }
  return problems;
}

function redirectUriTrouble(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || text.length > REDIRECT_URI_CHARACTERS_MAX || !/^[\x21-\x7e]+$/.test(text)) {
    return `must be an address in ASCII of at most ${REDIRECT_URI_CHARACTERS_MAX} characters.`;
  }
  if (url.href.includes('#') || url.username !== '' || url.password !== '') {
    return 'must have no fragment, user name or password.';
  }
  // A wildcard would read as one, although addresses are compared letter by letter; and the host stands in a page's headers.
  if (!/^([a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(url.hostname)) return 'must name a host; there are no wildcards.';
  if (url.protocol === 'https:') return undefined;
  if (url.protocol === 'http:' && LOOPBACK_HOSTS.has(url.hostname)) return undefined;
  return 'must begin with https://, or with http:// on 127.0.0.1, [::1] or localhost.';
}
