import { Money, nullable } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';

export const SetLowBalanceMailBody = Type.Object(
  {
    threshold_gbp: Type.Number({
      description: 'The balance below which a mail is sent, in GBP with at most two decimals; at least 1.',
      minimum: 0,
    }),
  },
  { title: 'SetLowBalanceMailRequest' },
);
export type SetLowBalanceMailBody = Static<typeof SetLowBalanceMailBody>;

/** When a mail says that the balance is low. */
export const LowBalanceMail = Type.Object(
  {
    threshold: nullable({ ...Money, description: 'Null while no mail is sent.' }),
    is_low: Type.Boolean({ description: 'Whether the balance is below it now.' }),
    is_topped_up: Type.Boolean({ description: 'Whether the balance is topped up by itself: then no mail is sent.' }),
    is_mailed: Type.Boolean({ description: 'Whether this service sends mail at all.' }),
  },
  { title: 'LowBalanceMail' },
);
export type LowBalanceMail = Static<typeof LowBalanceMail>;
