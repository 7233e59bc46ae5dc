import { Money, nullable } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';

/** What of the account's money needs a person. */
export const MoneyTrouble = Type.Object(
  {
    stopped_top_ups: nullable(
      Type.Object(
        {
          reason: Type.String({ description: 'Why the last charge failed; empty where it is not known.' }),
          threshold: { ...Money, description: 'Below which balance the card was charged.' },
        },
        { title: 'StoppedTopUps' },
      ),
    ),
    low_balance: nullable(
      Type.Object(
        { threshold: { ...Money, description: 'Of `getLowBalanceMail`: the balance is below it.' } },
        { title: 'BalanceBelow' },
      ),
    ),
  },
  { title: 'MoneyTrouble' },
);
export type MoneyTrouble = Static<typeof MoneyTrouble>;
