import { type Step, stepsOf } from './steps.ts';

/**
 * Frozen files that would stop a large database if they were run as they stand, in one transaction.
 * They lead to the same schema in steps; docs/decisions/0024 has the reasons, and a test compares the schemas.
 */
const IN_STEPS: Readonly<Record<string, (text: string) => string>> = {
  // It reads all events and orders before it writes: in a transaction that has written, they would hide new events.
  '0016-transaction-numbers.sql': asItStands,
  // It reads all movements of stock.
  '0017-stock-receipts.sql': asItStands,
  // It would hold the accounts while it waits for the orders.
  '0019-customs-numbers.sql': asItStands,
  // A check on a new column reads every line, under a lock that keeps all others out.
  '0020-declared-values.sql': () => `
    alter table order_line
      add column declared_unit_pence bigint,
      add constraint order_line_declared_unit_pence_check check (declared_unit_pence > 0) not valid;
    alter table order_line validate constraint order_line_declared_unit_pence_check`,
};

function asItStands(text: string): string {
  return text;
}

/** The steps of a file that is frozen and must not be run as it stands; undefined for every other. */
export function stepsInsteadOf(name: string, text: string): readonly Step[] | undefined {
  const instead = IN_STEPS[name];
  return instead === undefined ? undefined : stepsOf(`-- runs in steps\n${instead(text)}`);
}
