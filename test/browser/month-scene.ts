import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { parseId } from '../../src/lib/ids.ts';
import { createTestDatabase, SECRET_KEY } from '../harness/database.ts';
import { openPerson, type Person } from '../harness/oauth.ts';
import { openPortal } from '../harness/portal.ts';
import { platenJson } from '../harness/process.ts';
import { scratchParent } from '../harness/scratch.ts';
import { servePicture } from '../harness/shop.ts';
import type { Premises } from './premises.ts';

type Listed = { readonly data: readonly { readonly reference: string; readonly items: readonly { id: string }[] }[] };

/** An installation in which the month of the demo customer has been lived. */
export type MonthInstallation = {
  readonly database: Awaited<ReturnType<typeof createTestDatabase>>;
  readonly dataDir: string;
  readonly accountId: string;
};

/** The demo customer with its month behind it, a person of it, and orders worth looking at. */
export type MonthScene = {
  readonly person: Person;
  /** References: sent with a problem, in production, cancelled. */
  readonly orders: Readonly<Record<'sent' | 'making' | 'cancelled', string>>;
};

/** Lives the month of the demo customer in an empty database, before a service closes the days of the books. */
export async function liveMonth(): Promise<MonthInstallation> {
  const dataDir = await mkdtemp(join(scratchParent(), 'platen-gallery-'));
  const database = await createTestDatabase();
  const env = { DATABASE_URL: database.url, DATA_DIR: dataDir, BLOB_STORE: database.blobStore, SECRET_KEY };
  const { month_account_id: accountId } = await platenJson<{ month_account_id: string }>(
    ['seed', 'demo', '--json'],
    env,
  );
  return { database, dataDir, accountId };
}

/** A person of the demo customer who has reported a problem, and asked a colleague in. */
export async function openMonth({ service }: Premises, month: MonthInstallation): Promise<MonthScene> {
  const accountId = parseId('acct', month.accountId);
  if (accountId === undefined) throw new Error(`${month.accountId} is no account`);
  const person = await openPerson(service, accountId);
  const owner = await openPortal(service, person);
  const firstOf = async (status: string): Promise<Listed['data'][number]> => {
    const { body } = await owner.api<Listed>('GET', `/orders?status=${status}&limit=1`);
    const [order] = body.data;
    if (order === undefined) throw new Error(`the month has no order that is ${status}`);
    return order;
  };
  const sent = await firstOf('dispatched');
  const making = await firstOf('in_production');
  const cancelled = await firstOf('cancelled');
  const photo = await servePicture(service, '/torn-sleeve.png', { colour: 'grey' });
  await owner.api('POST', `/orders/${sent.reference}/problems`, {
    body: {
      kind: 'print_fault',
      text: 'The ink on the sleeve runs.',
      items: [{ line_id: sent.items[0]?.id, quantity: 1 }],
      photos: [photo],
    },
  });
  await openPerson(service, accountId, 'orders');
  await owner.request('POST', '/people/invitations', { body: { email: 'maya@harbour.example', role: 'orders' } });
  return {
    person,
    orders: { sent: sent.reference, making: making.reference, cancelled: cancelled.reference },
  };
}
