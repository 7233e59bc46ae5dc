import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { createOauthClient, oauthClientProblems } from '../accounts/create-oauth-client.ts';
import { createUser, userProblems } from '../accounts/create-user.ts';
import { importToken } from '../accounts/import-token.ts';
import { isImportable } from '../accounts/token.ts';
import type { Scope } from '../lib/caller.ts';
import type { Problem } from '../lib/errors.ts';
import { publicId, type Uuid } from '../lib/ids.ts';
import { type Output, withContext } from './commands.ts';
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
export async function addUser(options: Output & { account: Uuid; email: string }): Promise<void> {
  const input = { accountId: options.account, email: options.email, password: await readPassword() };
  refuse(userProblems(input));
  await withContext('migrated', async (ctx) => {
    const user = await createUser(ctx, input);
    const id = publicId('user', user.id);
    printResult(options, { id, email: user.email }, [`Added user ${id}, who signs in as ${user.email}.`]);
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

/** No password is this long; the rest is not read. */
const PASSWORD_BYTES_MAX = 4_096;

/** Reads the first line of standard input; from a terminal without echo. */
async function readPassword(): Promise<string> {
  if (process.stdin.isTTY) {
    process.stderr.write('Password: ');
    const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
    const line = createInterface({ input: process.stdin, output: unseen, terminal: true });
    line.once('SIGINT', () => process.exit(130));
    const password = await line.question('');
    line.close();
    process.stderr.write('\n');
    return password;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > PASSWORD_BYTES_MAX) throw new UsageError('the password on standard input is too long');
  }
  const [password = ''] = Buffer.concat(chunks).toString('utf8').split(/\r?\n/, 1);
  if (password === '') throw new UsageError('the password is read from standard input, which is empty');
  return password;
}
