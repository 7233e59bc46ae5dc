import type { GrantsOf } from '../accounts/access/app-sql.ts';
import { removeClient, rotateClient } from '../accounts/access/change-client.ts';
import { getClient, getGrant, listClients, listGrants } from '../accounts/access/list-access.ts';
import type { OauthClient } from '../accounts/access/ops-schema.ts';
import { revokeGrantById, revokeGrants } from '../accounts/access/revoke-grants.ts';
import type { AppContext } from '../app/context.ts';
import { parseId, publicId, type Uuid } from '../lib/ids.ts';
import { commandLineActor, ended, type Listed, printList, type Why } from './access-commands.ts';
import { withContext } from './commands.ts';
import { printResult, UsageError } from './report.ts';

/** Which apps or grants: `--client`, `--account` or both. */
type Which = { readonly client?: Uuid; readonly account?: Uuid };

/** Apps of an account that one command changes, a page at a time. */
const CLIENTS_PAGE = 100;

/** `platen oauth client list` */
export async function listRegisteredClients(options: Listed & Which): Promise<void> {
  const { client, account } = oneOf(options);
  await printList(
    options,
    'clients',
    async (ctx, part) => {
      if (account !== undefined) return listClients(ctx, account, part);
      return { data: [await getClient(ctx, client)], has_more: false, next_cursor: null };
    },
    ({ client_id: clientId, name, confidential, scopes, removed_at: removedAt }) => {
      const kind = confidential ? 'confidential' : 'public';
      return `${clientId}  ${name}  ${kind}  ${scopes.join(',')}${ended('removed', removedAt)}`;
    },
  );
}

/** `platen oauth client rotate`; by `--account` every confidential app of the account. */
export async function rotateRegisteredClient(options: Why & Which): Promise<void> {
  await changeClients(
    options,
    (app) => app.confidential,
    async (ctx, id) => {
      const secret = await rotateClient(ctx, commandLineActor(), id, options.reason);
      const clientId = publicId('client', id);
      const result = { client_id: clientId, client_secret: secret };
      return { result, line: `${clientId} has another secret, which is shown once: ${secret}` };
    },
  );
}

/** `platen oauth client remove`; by `--account` every app of the account. */
export async function removeRegisteredClient(options: Why & Which): Promise<void> {
  await changeClients(
    options,
    () => true,
    async (ctx, id) => {
      await removeClient(ctx, commandLineActor(), id, options.reason);
      const clientId = publicId('client', id);
      return { result: { client_id: clientId, removed: true }, line: `Removed ${clientId}.` };
    },
  );
}

/** Changes one app, or those of an account that are not removed, and prints what came of it. */
async function changeClients(
  options: Why & Which,
  concerns: (client: OauthClient) => boolean,
  change: (ctx: AppContext, id: Uuid) => Promise<{ result: object; line: string }>,
): Promise<void> {
  const { client, account } = oneOf(options);
  await withContext('migrated', async (ctx) => {
    if (client !== undefined) {
      const { result, line } = await change(ctx, client);
      printResult(options, result, [line]);
      return;
    }
    const changed: { result: object; line: string }[] = [];
    for (let after: Uuid | undefined, isLast = false; !isLast; ) {
      const page = await listClients(ctx, account, { limit: CLIENTS_PAGE, after });
      for (const app of page.data.filter((one) => one.removed_at === null && concerns(one))) {
        const id = parseId('client', app.client_id);
        if (id !== undefined) changed.push(await change(ctx, id));
      }
      isLast = page.next_cursor === null;
      after = page.next_cursor === null ? undefined : parseId('client', page.next_cursor);
    }
    const lines = changed.length === 0 ? ['The account has no such app.'] : changed.map(({ line }) => line);
    printResult(options, { clients: changed.map(({ result }) => result) }, lines);
  });
}

/** `platen oauth grant list` */
export async function listRegisteredGrants(options: Listed & Which): Promise<void> {
  const of = grantsOf(options);
  await printList(
    options,
    'grants',
    (ctx, part) => listGrants(ctx, of, part),
    (grant) => `${grant.id}  ${grant.email}  ${grant.client_name} (${grant.client_id})  ${grant.scopes.join(',')}`,
  );
}

/** `platen oauth grant revoke`; one by `--id`, or all by `--client`, `--account` or both. */
export async function revokeRegisteredGrants(options: Why & Which & { id?: Uuid }): Promise<void> {
  const { id } = options;
  if (id !== undefined && (options.client !== undefined || options.account !== undefined)) {
    throw new UsageError('--id names one grant: leave --client and --account out');
  }
  const of = id === undefined ? grantsOf(options) : undefined;
  await withContext('migrated', async (ctx) => {
    if (of === undefined) {
      if (id === undefined) return;
      const { revoked_at: before } = await getGrant(ctx, id);
      await revokeGrantById(ctx, commandLineActor(), id, options.reason);
      const name = publicId('gnt', id);
      printResult(options, { id: name, revoked: before === null ? 1 : 0 }, [`Revoked ${name}.`]);
      return;
    }
    let revoked = 0;
    for (let hasMore = true; hasMore; ) {
      const some = await revokeGrants(ctx, commandLineActor(), of, options.reason);
      revoked += some.revoked;
      ({ hasMore } = some);
    }
    printResult(options, { revoked }, [revoked === 1 ? 'Revoked 1 grant.' : `Revoked ${revoked} grants.`]);
  });
}

/** Refuses neither and both of `--client` and `--account`. */
function oneOf({
  client,
  account,
}: Which): { client: Uuid; account: undefined } | { client: undefined; account: Uuid } {
  if (client !== undefined && account === undefined) return { client, account };
  if (account !== undefined && client === undefined) return { client, account };
  throw new UsageError('give --client or --account, one of the two');
}

function grantsOf({ client, account }: Which): GrantsOf {
  if (account !== undefined) return { accountId: account, clientId: client };
  if (client !== undefined) return { accountId: account, clientId: client };
  throw new UsageError('give --client, --account or both');
}
