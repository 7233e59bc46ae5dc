import { createOauthClient, oauthClientProblems } from '../accounts/create-oauth-client.ts';
import { createUser, userProblems } from '../accounts/create-user.ts';
import { importToken } from '../accounts/import-token.ts';
import { isImportable } from '../accounts/token.ts';
import type { PersonRole, Scope } from '../lib/caller.ts';
import type { Problem } from '../lib/errors.ts';
import { publicId, type Uuid } from '../lib/ids.ts';
import { type Output, withContext } from './commands.ts';
import { readPassword } from './read-password.ts';
import { printResult, UsageError } from './report.ts';

/** `platen token import` */
export async function importAccountToken(
  options: Output & { account: Uuid; token: string; scopes?: readonly Scope[] },
): Promise<void> {
  const { account, token, scopes } = options;
  if (!isImportable(token)) {
    throw new UsageError('--token: only tokens that begin with pat_test_ are imported; others are minted');
  }
  await withContext('migrated', async (ctx) => {
    const imported = await importToken(ctx, { accountId: account, token, ...(scopes === undefined ? {} : { scopes }) });
    const id = publicId('tok', imported.id);
    printResult(options, { id, scopes: imported.scopes, imported: imported.isNew }, [
      `${imported.isNew ? 'Imported' : 'It was imported before:'} token ${id} with ${imported.scopes.join(', ')}.`,
      'It is as live as every other token.',
    ]);
  });
}

/** `platen user create`; reads the password from standard input. */
export async function addUser(options: Output & { account: Uuid; email: string; role: PersonRole }): Promise<void> {
  const { account, email, role } = options;
  const input = { accountId: account, email, role, password: await readPassword() };
  refuse(userProblems(input));
  await withContext('migrated', async (ctx) => {
    const user = await createUser(ctx, input);
    const id = publicId('user', user.id);
    const line = `Added user ${id}, who signs in as ${user.email} and has the role ${user.role}.`;
    printResult(options, { id, email: user.email, role: user.role }, [line]);
  });
}

/** `platen oauth client create` */
export async function registerClient(
  options: Output & {
    account: Uuid;
    name: string;
    redirectUri?: readonly string[];
    scopes?: readonly Scope[];
    confidential?: boolean;
  },
): Promise<void> {
  const input = {
    accountId: options.account,
    name: options.name,
    redirectUris: options.redirectUri ?? [],
    ...(options.scopes === undefined ? {} : { scopes: options.scopes }),
    isConfidential: options.confidential === true,
  };
  refuse(oauthClientProblems(input));
  await withContext('migrated', async (ctx) => {
    const client = await createOauthClient(ctx, input);
    const clientId = publicId('client', client.id);
    const result = { client_id: clientId, ...(client.secret === undefined ? {} : { client_secret: client.secret }) };
    printResult(options, result, [
      `Client ${clientId} with ${client.scopes.join(', ')}.`,
      ...(client.secret === undefined
        ? ['It is public: it has no secret.']
        : ['Its secret is shown once:', client.secret]),
    ]);
  });
}

/** Refuses wrong arguments before a database is opened. */
function refuse(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  throw new UsageError(problems.map(({ path, message }) => `${path}: ${message}`).join(' | '));
}
