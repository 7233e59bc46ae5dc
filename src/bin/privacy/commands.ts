import { once } from 'node:events';
import type { AppContext } from '../../app/context.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { exportPerson } from '../../privacy/disclose/export-person.ts';
import { receiptOf } from '../../privacy/erase/receipt.ts';
import { requestErasure, type Subject } from '../../privacy/erase/request-erasure.ts';
import { readSubject, recipientOfText } from '../../privacy/read-person.ts';
import { commandLineActor, type Why } from '../access-commands.ts';
import { withContext } from '../commands.ts';
import { printResult, UsageError } from '../report.ts';

export type PersonOptions = Why & { account: Uuid; order?: string; recipient?: string; wholeAccount?: boolean };

/** `platen erase`; a whole account must be said, so that an option that is left out erases nothing. */
export async function erasePerson(options: PersonOptions): Promise<void> {
  const named = [options.order, options.recipient, options.wholeAccount].filter((one) => one !== undefined);
  if (named.length !== 1) throw new UsageError('give one of --order, --recipient and --whole-account');
  await withContext('migrated', async (ctx) => {
    const subject = await subjectOf(ctx, options);
    const request = { subject, reason: options.reason, waitMs: Number.POSITIVE_INFINITY };
    const receipt = await receiptOf(ctx, await requestErasure(ctx, commandLineActor(), request));
    const { orders_waiting: waiting, waiting_for: references, files_waiting: files } = receipt;
    printResult(options, receipt, [
      `Erasure ${receipt.id} of ${NAMES[subject.scope]} ${publicId('acct', options.account)}: ${receipt.state === 'done' ? 'done' : 'under way'}.`,
      `Orders erased: ${receipt.orders_erased}. Stored files removed: ${receipt.files_removed}.`,
      ...(subject.scope === 'recipient' && receipt.orders_erased + waiting === 0 ? [NO_SUCH_RECIPIENT] : []),
      ...(waiting === 0
        ? []
        : [`Orders that are still being made, each erased once it has ended: ${waiting} (${references.join(', ')}).`]),
      ...(files === 0 ? [] : [`Stored files that were used a moment ago, looked at again by the service: ${files}.`]),
      ...(receipt.to_settle.length === 0
        ? []
        : [`The name of the account stays until its money is settled: ${receipt.to_settle.join('; ')}.`]),
      'It stays:',
      ...receipt.kept.map((what) => `  ${what}`),
    ]);
  });
}

/** `platen export-person`: the document itself is the output. */
export async function printPerson(options: PersonOptions): Promise<void> {
  await withContext('migrated', async (ctx) => {
    const subject = await subjectOf(ctx, options);
    let end = '';
    for await (const text of await exportPerson(ctx, commandLineActor(), subject, options.reason)) {
      if (!process.stdout.write(text)) await once(process.stdout, 'drain');
      end = (end + text).slice(-NO_ORDERS.length);
    }
    if (subject.scope === 'recipient' && end === NO_ORDERS) process.stderr.write(`${NO_SUCH_RECIPIENT}\n`);
  });
}

/** How the document of a person ends whom no order names. */
const NO_ORDERS = '"orders":[]}\n';

const NO_SUCH_RECIPIENT = 'No order names this recipient: check how the name and the postcode are written.';

const NAMES: Readonly<Record<Subject['scope'], string>> = {
  order: 'an order of',
  recipient: 'a recipient of',
  account: 'the account',
};

async function subjectOf(ctx: AppContext, { account, order, recipient }: PersonOptions): Promise<Subject> {
  if (order !== undefined && recipient !== undefined) throw new UsageError('name an order or a recipient, not both');
  const body =
    order !== undefined
      ? { order }
      : recipient === undefined
        ? { whole_account: true as const }
        : { recipient: recipientOfText(recipient) };
  return readSubject(ctx, account, body);
}
