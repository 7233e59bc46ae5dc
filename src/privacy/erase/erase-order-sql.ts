import type { CreditNoteDocument, InvoiceDocument } from '../../invoices/invoice.ts';
import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { Warning } from '../../lib/schemas.ts';
import type { StoredAddress } from '../../orders/order-columns.ts';
import type { OrderState } from '../../orders/status.ts';

// What an erasure changes of one order. All of it in one transaction, under the order's lock.

const ERASING = statement<never>('privacy_say_erasing', `select set_config('platen.erasing', 'on', true)`);

/**
 * Lets this transaction empty what is otherwise final:
 * the person in a document, the reason of a movement.
 */
export async function sayErasing(tx: Db): Promise<void> {
  await tx.all(ERASING, []);
}

export type ErasableOrder = {
  state: OrderState;
  shipping_address: StoredAddress;
  billing_address: StoredAddress;
  warnings: Warning[];
  vat_territory: string | null;
  attempt_id: Uuid | null;
  erased_at: Date | null;
  buyer_name: string;
};

const LOCK = statement<{ id: Uuid }>(
  'privacy_lock_order',
  'select id from orders where account_id = $1 and id = $2 for update',
);
const READ = statement<ErasableOrder>(
  'privacy_read_order',
  `select o.state, o.shipping_address, o.billing_address, o.warnings, o.vat_territory, o.attempt_id, o.erased_at,
     (select name from account a where a.id = o.account_id) as buyer_name
   from orders o where o.account_id = $1 and o.id = $2`,
);

/** Locks an order and reads what is erased of it; undefined when there is none. */
export async function lockErasable(tx: Db, accountId: Uuid, orderId: Uuid): Promise<ErasableOrder | undefined> {
  if ((await tx.one(LOCK, [accountId, orderId])) === undefined) return undefined;
  return tx.one(READ, [accountId, orderId]);
}

// Of a file that placed the order, that found it there, and of an earlier one whose row of it was wrong: the last knows
// it by its number alone.
const FILE_ENTRIES = `select e.file_id, e.place from order_file_order e where e.account_id = $1 and e.order_id = $2
     union
     select e.file_id, e.place from orders o
     join order_file_order e on e.account_id = o.account_id and e.external_reference = o.external_reference
     where o.account_id = $1 and o.id = $2 and e.external_reference <> ''`;

// A parcel that was declared for customs keeps its number: it is the evidence that the goods were exported.
const CLEAR = statement<never>(
  'privacy_clear_order',
  `with cleared as (
     update orders set shipping_address = $3, billing_address = $4, notes = '', metadata = '{}', fingerprint = null,
       warnings = $5, hold = case when hold is null then null else hold || '{"reason": ""}' end,
       erased_at = coalesce(erased_at, $6), vat_territory = $7, changed_by = transaction_number(),
       updated_at = greatest($6::timestamptz, updated_at + interval '1 millisecond')
     where account_id = $1 and id = $2
   ),
   lines as (
     update order_line set mock_hash = null where account_id = $1 and order_id = $2 and mock_hash is not null
   ),
   history as (
     update order_history set reason = '' where account_id = $1 and order_id = $2 and reason <> ''
   ),
   search as (
     delete from order_search
     where account_id = $1 and order_id = $2 and kind not in ('amount', 'external_reference')
   ),
   files as (
     update order_file f set content = '', name = '', headings = '[]', content_hash = null where f.account_id = $1 and f.id = any(array(
       select file_id from (${FILE_ENTRIES}) as n))
   ),
   of_files as (
     update order_file_order e set body = null, problems = '[]', warnings = '[]',
       state = case when e.state in ('waiting', 'ready') then 'existing' else e.state end
     from (${FILE_ENTRIES}) as n where e.account_id = $1 and e.file_id = n.file_id and e.place = n.place
   ),
   pauses as (
     update line_pause set reason = '' where account_id = $1 and order_id = $2 and reason <> ''
   ),
   tasks as (
     update ops_task set note = '' where order_id = $2 and account_id = $1 and closed_at is not null and note <> ''
   ),
   open_tasks as (
     update ops_task set note = $8 where order_id = $2 and account_id = $1 and closed_at is null
   ),
   attempts as (
     update payment_attempt set reason = '' where account_id = $1 and order_id = $2 and reason <> ''
   ),
   refunds as (
     update refund set reason = '' where account_id = $1 and order_id = $2 and reason <> ''
   ),
   credits as (
     update order_credit set reason = '', lines = (
       select jsonb_agg(case when line ->> 'description' like 'Goodwill: %' then line || '{"description": "Goodwill"}' else line end)
       from jsonb_array_elements(lines) as line)
     where account_id = $1 and order_id = $2 and reason <> ''
   ),
   problems as (
     update problem set text = '', answer = '', external_reference = null where account_id = $1 and order_id = $2
   ),
   requests as (
     update cancellation_request set text = '', answer = '' where account_id = $1 and order_id = $2
   ),
   photos as (
     delete from problem_photo where account_id = $1 and order_id = $2
   ),
   answers as (
     update webhook_delivery set answer = null
     where account_id = $1 and answer is not null and event_id = any(array(
       select id from event where order_id = $2 and account_id = $1))
   ),
   movements as (
     update stock_movement set reason = '' where order_id = $2 and reason <> ''
   )
   update shipment set shipping_address = jsonb_build_object('contact_name', '', 'company_name', '', 'line1', '', 'line2', '',
       'city', '', 'county', '', 'postcode', '', 'phone', '', 'email', '', 'country_code', shipping_address -> 'country_code'),
     tracking_url = null, tracking_number = case when customs is null then '' else tracking_number end
   where account_id = $1 and order_id = $2`,
);

const FORGET_SAVED = statement<never>(
  'privacy_forget_saved_address',
  `delete from saved_address
   where account_id = $1 and address ->> 'contact_name' = $2 and address ->> 'postcode' = $3`,
);

/** Removes the recipient of an order that is erased from the account's address book. */
export async function forgetSavedAddress(tx: Db, accountId: Uuid, recipient: StoredAddress): Promise<void> {
  await tx.all(FORGET_SAVED, [accountId, recipient.contact_name, recipient.postcode]);
}

const OPEN_TASK_NOTE =
  'Personal data of this order is erased, the note of this task with it. Decide by the order itself.';

/** Empties what a locked order and its rows hold of a person. */
export async function clearOrder(
  tx: Db,
  order: {
    readonly accountId: Uuid;
    readonly orderId: Uuid;
    readonly shipping: StoredAddress;
    readonly billing: StoredAddress;
    readonly warnings: readonly Warning[];
    readonly territory: string;
    readonly now: Date;
  },
): Promise<void> {
  await tx.all(CLEAR, [
    order.accountId,
    order.orderId,
    JSON.stringify(order.shipping),
    JSON.stringify(order.billing),
    JSON.stringify(order.warnings),
    order.now,
    order.territory,
    OPEN_TASK_NOTE,
  ]);
}

type EventText = { id: Uuid; data: Record<string, unknown> };

const EVENTS = statement<EventText>(
  'privacy_events_of_order',
  'select id, data from event where order_id = $2 and account_id = $1 order by id',
);
const SET_EVENT = statement<never>('privacy_set_event', 'update event set data = $3 where account_id = $1 and id = $2');

/** Reads the events of a locked order. */
export async function listOrderEvents(tx: Db, accountId: Uuid, orderId: Uuid): Promise<EventText[]> {
  return tx.all(EVENTS, [accountId, orderId]);
}

/** Replaces the data of an event. */
export async function setEventData(tx: Db, accountId: Uuid, id: Uuid, data: string): Promise<void> {
  await tx.all(SET_EVENT, [accountId, id, data]);
}

const ACTIONS = statement<{ id: Uuid; detail: unknown }>(
  'privacy_actions_of_order',
  'select id, detail from operator_action where order_id = $1 order by id',
);
const SET_ACTION = statement<never>(
  'privacy_set_action',
  `update operator_action set detail = $2, request_hash = '' where id = $1`,
);

/** Reads what operators did to an order. */
export async function listOrderActions(tx: Db, orderId: Uuid): Promise<{ id: Uuid; detail: unknown }[]> {
  return tx.all(ACTIONS, [orderId]);
}

/**
 * Replaces the detail of an operator's act.
 * Its digest goes with it, so a late repeat under its key is refused.
 */
export async function setActionDetail(tx: Db, id: Uuid, detail: string): Promise<void> {
  await tx.all(SET_ACTION, [id, detail]);
}

const INVOICE = statement<{ document: InvoiceDocument }>(
  'privacy_invoice_of_order',
  'select document from invoice where account_id = $1 and order_id = $2',
);
const SET_INVOICE = statement<never>(
  'privacy_set_invoice',
  'update invoice set document = $3 where account_id = $1 and order_id = $2',
);

/** Reads the invoice of an order. */
export async function findOrderInvoice(tx: Db, accountId: Uuid, orderId: Uuid): Promise<InvoiceDocument | undefined> {
  return (await tx.one(INVOICE, [accountId, orderId]))?.document;
}

/** Replaces the person in an invoice; the database refuses every other change. */
export async function setOrderInvoice(
  tx: Db,
  accountId: Uuid,
  orderId: Uuid,
  document: InvoiceDocument,
): Promise<void> {
  await tx.all(SET_INVOICE, [accountId, orderId, JSON.stringify(document)]);
}

const NOTES = statement<{ credit_id: Uuid; document: CreditNoteDocument }>(
  'privacy_notes_of_order',
  'select credit_id, document from credit_note where account_id = $1 and order_id = $2',
);
const SET_NOTE = statement<never>(
  'privacy_set_note',
  'update credit_note set document = $4 where account_id = $1 and order_id = $2 and credit_id = $3',
);

/** Reads the credit notes of an order. */
export async function listNoteDocuments(
  tx: Db,
  accountId: Uuid,
  orderId: Uuid,
): Promise<{ credit_id: Uuid; document: CreditNoteDocument }[]> {
  return tx.all(NOTES, [accountId, orderId]);
}

/** Replaces the person in a credit note; the database refuses every other change. */
export async function setNoteDocument(
  tx: Db,
  of: { readonly accountId: Uuid; readonly orderId: Uuid; readonly creditId: Uuid },
  document: CreditNoteDocument,
): Promise<void> {
  await tx.all(SET_NOTE, [of.accountId, of.orderId, of.creditId, JSON.stringify(document)]);
}
