import { pageQuery } from '../../lib/paging.ts';
import { nullable, oneOf } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import { NOTICE_NAMES } from './kinds.ts';

const Kind = Type.Object(
  { kind: oneOf(NOTICE_NAMES), label: Type.String(), means: Type.String() },
  { title: 'NoticeKind' },
);

/** A person, and the mails that they get. */
export const NoticeRecipient = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    name: Type.String({ description: 'Empty when none was given.' }),
    wants: Type.Array(oneOf(NOTICE_NAMES), { description: 'The mails that the person gets.' }),
  },
  { title: 'NoticeRecipient' },
);
export type NoticeRecipient = Static<typeof NoticeRecipient>;

/** Who gets which mails: who asks, and a page of the others of whom they see. */
export const NoticeMatrix = Type.Object(
  {
    is_mailed: Type.Boolean({ description: 'Whether this service sends mail at all.' }),
    kinds: Type.Array(Kind),
    self: NoticeRecipient,
    others: Type.Array(NoticeRecipient, { description: 'In the order in which they were added.' }),
    has_more: Type.Boolean({ description: 'True when another page of the others exists.' }),
    next_cursor: nullable(Type.String({ description: 'Pass as cursor to get the next page of the others.' })),
  },
  { title: 'NoticeMatrix' },
);
export type NoticeMatrix = Static<typeof NoticeMatrix>;
export const NoticesQuery = Type.Object(pageQuery('user'));
export const NoticeParams = Type.Object({ id: Type.String({ description: 'The person.' }) });

/** Which mails a person gets; a kind that is left out stays. */
export const ChangeNoticesBody = Type.Object(
  {
    wants: Type.Object(
      {
        order_on_hold: Type.Optional(Type.Boolean()),
        shop_orders_wait: Type.Optional(Type.Boolean()),
        shop_faulty: Type.Optional(Type.Boolean()),
        held_in_shop: Type.Optional(Type.Boolean()),
        artwork_failed: Type.Optional(Type.Boolean()),
        order_undone: Type.Optional(Type.Boolean()),
        order_dispatched: Type.Optional(Type.Boolean()),
        payment_failed: Type.Optional(Type.Boolean()),
        method_changed: Type.Optional(Type.Boolean()),
        auto_top_up_stopped: Type.Optional(Type.Boolean()),
        low_balance: Type.Optional(Type.Boolean()),
        problem_answered: Type.Optional(Type.Boolean()),
        cancellation_answered: Type.Optional(Type.Boolean()),
        vat_decided: Type.Optional(Type.Boolean()),
        webhook_failing: Type.Optional(Type.Boolean()),
        webhook_disabled: Type.Optional(Type.Boolean()),
      },
      { title: 'WantedNotices' },
    ),
  },
  { title: 'ChangeNoticesRequest' },
);
export type ChangeNoticesBody = Static<typeof ChangeNoticesBody>;
