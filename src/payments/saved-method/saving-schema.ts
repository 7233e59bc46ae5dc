import { nullable, oneOf, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';

const Kind = oneOf(['card', 'direct_debit']);

export const BeginSavingBody = Type.Object({ kind: Kind });
export type BeginSavingBody = Static<typeof BeginSavingBody>;

/** A card or direct debit that a person saves on a page of the payment provider. */
export const MethodSaving = Type.Object(
  {
    id: Type.String(),
    kind: Kind,
    state: oneOf(['open', 'saved', 'ended'], { description: '`ended` has saved nothing.' }),
    page_url: nullable(Type.String({ description: 'Where it is saved; null once it cannot be.' })),
    ends_at: { ...Timestamp, description: 'It can be saved until then.' },
  },
  { title: 'MethodSaving' },
);
export type MethodSaving = Static<typeof MethodSaving>;

export const SavingParams = Type.Object({ id: Type.String({ description: 'The saving.' }) });

/** The card or direct debit that pays what the balance does not. */
export const PaymentMethod = Type.Object(
  {
    saved: nullable(
      Type.Object({
        kind: Kind,
        label: Type.String({ description: '`Visa ending in 4242`; empty where the provider does not say.' }),
        expires_on: nullable(Type.String({ description: 'The last day on which a card is good, YYYY-MM-DD.' })),
        saved_at: Timestamp,
      }),
    ),
    kinds: Type.Array(Kind, { description: 'What can be saved; empty where no card is taken.' }),
    has_auto_top_up: Type.Boolean({ description: 'Whether automatic top-ups are set, also where they have stopped.' }),
  },
  { title: 'PaymentMethod' },
);
export type PaymentMethod = Static<typeof PaymentMethod>;
