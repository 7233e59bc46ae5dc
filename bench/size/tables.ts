// Which tables grow with the orders, and how a row of the model is copied. A table that stands nowhere here is an
// error, so that a new one is not left out of what is measured.

/** Rows of an order: the table, and which unit of the model a row `t` belongs to, by the order that it names. */
export const ORDER_TABLES: Readonly<Record<string, string>> = {
  orders: 't.id',
  order_reference: 't.order_id',
  order_line: 't.order_id',
  print_job: 't.order_id',
  order_history: 't.order_id',
  order_search: 't.order_id',
  posting: 't.order_id',
  event: 't.order_id',
  webhook_delivery: '(select e.order_id from event e where e.account_id = t.account_id and e.id = t.event_id)',
  allocation: 't.order_id',
  stock_movement: 't.order_id',
  stock_awaiting_order: 't.order_id',
  shipment: 't.order_id',
  shipment_item: 't.order_id',
  payment_attempt: 't.order_id',
  payment: 't.order_id',
  payment_dispute: 't.order_id',
  refund: 't.order_id',
  order_credit: 't.order_id',
  invoice: 't.order_id',
  credit_note: 't.order_id',
  ops_task: 't.order_id',
  operator_action: 'coalesce(t.order_id, t.subject_id)',
  setup_reliance: 't.order_id',
  setup_right: 't.paid_by_order',
  artwork_failure: 't.order_id',
  promotion_shortage: 't.order_id',
  line_pause: 't.order_id',
  export_watch: 't.order_id',
  retention_waiting: 't.order_id',
  print_file_need: 't.order_id',
  channel_order: 't.order_id',
  problem: 't.order_id',
  cancellation_request: 't.order_id',
  problem_line: 't.order_id',
  problem_photo: 't.order_id',
};

/** Rows of a customer, which come once for each account. */
export const ACCOUNT_TABLES = [
  'webhook_subscription',
  'design',
  'product',
  'product_area',
  'product_variant',
  'print_file',
  'brand',
  'brand_revision',
] as const;

/** What does not grow with orders, or is computed from what does: it stays as the model has it. */
export const FIXED_TABLES = [
  // Made for each account by itself.
  ...['account', 'account_balance'],
  // Of people and access.
  ...['access_token', 'account_billing', 'account_user', 'oauth_client', 'oauth_grant', 'oauth_record', 'operator'],
  ...[
    'operator_token',
    'payment_method',
    'card_top_up',
    'auto_top_up',
    'low_balance_mail',
    'method_saving',
    'sign_in_attempt',
    'secret_key_use',
    'portal_session',
    'second_factor',
    'account_link',
    'mail_choice',
    'saved_view',
    'sign_up',
    'vat_proposal',
    'shipping_preference',
    'saved_address',
    'order_file',
    'order_file_order',
    'order_file_item',
    'order_file_memory',
    'sign_in_log',
    'channel',
    'channel_secret',
    'channel_item',
    'channel_link',
    'channel_report',
    'channel_product',
    'channel_invitation',
    'channel_hint',
    'drop_use',
  ],
  ...['mail', 'mail_content', 'webhook_next_secret', 'webhook_replay', 'request_log'],
  // The catalogue, and the bytes of pictures, which accounts share here.
  ...['base_product', 'blank_variant', 'blob', 'blob_store', 'catalogue_state', 'price_book', 'station', 'stock'],
  ...['stock_awaiting', 'stock_receipt'],
  // By the day, by hand, or one row.
  ...[
    'backup_taken',
    'book_entry',
    'book_journal',
    'closed_day',
    'spending_day',
    'invoice_series',
    'invoicing',
    'ledger_closing',
  ],
  ...['ledger_day', 'order_search_progress', 'retention_report', 'retention_walk', 'schema_migration'],
  ...['schema_migration_step', 'seller_day', 'spending_progress', 'stock_awaiting_progress', 'transaction_numbering'],
  // What waits: empty once it is done.
  ...['job', 'erasure', 'erasure_file', 'erasure_ledger', 'erasure_order', 'erasure_replay'],
] as const;

/** Columns that a copy leaves to their defaults. */
export const DEFAULTED = ['event.transaction_id', 'orders.changed_by', 'stock_movement.id'];

/** Ids of what is there once: a copy names the same. */
const SHARED_IDS = new Set(['operator_id', 'base_product_id', 'book_entry_id', 'lease_token']);
/** Ids of what every account has of its own. */
const ACCOUNT_IDS = new Set(['product_id', 'subscription_id', 'brand_id']);

/** What a copy of a row `m` has in a column; `c` is the copy of its unit, `o` that of its order. */
export function copiedCell(table: string, column: string, type: string): string {
  const special = SPECIAL[`${table}.${column}`];
  if (special !== undefined) return special;
  if (column === 'account_id') return 'c.account_id';
  if (type === 'uuid' && !SHARED_IDS.has(column)) {
    return ACCOUNT_IDS.has(column) ? ofAccount(`m.${column}`, 'c') : `size.new_id(m.${column}, c.n, c.shift_ms)`;
  }
  if (type === 'timestamp with time zone') return `m.${column} + c.shift`;
  return `m.${column}`;
}

/** What an account's copy of a row `m` has in a column; `a` is the account. */
export function accountCell(table: string, column: string, type: string): string {
  if (column === 'account_id') return 'a.id';
  // A key is of an account: it is the hash of the recipe and the account.
  if (table === 'print_file' && column === 'key') return 'sha256(m.key || uuid_send(a.id))';
  const isOwn = ['id', 'product_id', 'subscription_id', 'brand_id'].includes(column) && type === 'uuid';
  if (isOwn)
    return table === 'webhook_subscription' ? ofAccount(FIRST_SUBSCRIPTION, 'a') : ofAccount(`m.${column}`, 'a');
  return `m.${column}`;
}

const FIRST_SUBSCRIPTION = '(select min(id::text)::uuid from size.model_webhook_subscription)';

/** An id of an account's own; it keeps its time. */
function ofAccount(id: string, account: 'a' | 'c'): string {
  return `size.new_id(${id}, -${account}.${account === 'a' ? 'number' : 'account_number'}, 0)`;
}

const RENAMED = (text: string): string =>
  `replace(replace(replace(${text}, o.model_reference, o.reference), o.model_public_id, o.public_id), o.model_external, o.external_reference)`;
const NEW_ADDRESS = (address: string): string =>
  `${address} || jsonb_build_object('contact_name', c.first_name || ' ' || c.last_name, 'postcode', c.postcode)`;

/** An id in the brand of an order; null has none. */
const OWN_OF_BRAND = (name: string): string => ofAccount(`(m.brand ->> '${name}')::uuid`, 'c');

/** Young copies are delivered only now. */
const IS_SENT = 'c.is_sent';

const SPECIAL: Readonly<Record<string, string>> = {
  'orders.reference': 'o.reference',
  'orders.external_reference': 'case when m.external_reference is not null then o.external_reference end',
  'orders.shipping_address': NEW_ADDRESS('m.shipping_address'),
  'orders.billing_address': NEW_ADDRESS('m.billing_address'),
  'orders.brand': `m.brand || jsonb_build_object('id', ${OWN_OF_BRAND('id')}, 'revision_id', ${OWN_OF_BRAND('revision_id')})`,
  'shipment.shipping_address': NEW_ADDRESS('m.shipping_address'),
  'shipment.tracking_number': "'RM' || lpad(c.n::text, 12, '0')",
  'order_reference.external_reference': 'o.external_reference',
  'event.data': `${RENAMED('m.data::text')}::json`,
  'invoice.document': `${RENAMED('m.document::text')}::json`,
  'credit_note.document': `replace(${RENAMED('m.document::text')}, '"invoice_number":' || m.model_invoice_number, '"invoice_number":' || d.invoice_number)::json`,
  'invoice.number': 'd.number',
  'credit_note.number': 'd.number',
  'posting.reference': RENAMED('m.reference'),
  'posting.entry': 'e.entry',
  'posting.balance_after_pence': 'e.balance_after_pence',
  'webhook_delivery.subscription_id': ofAccount(FIRST_SUBSCRIPTION, 'c'),
  'webhook_delivery.state': `case when ${IS_SENT} then m.state else 'pending' end`,
  'webhook_delivery.attempts': `case when ${IS_SENT} then m.attempts else 0 end`,
  'webhook_delivery.attempted_at': `case when ${IS_SENT} then m.attempted_at + c.shift end`,
  'webhook_delivery.response_code': `case when ${IS_SENT} then m.response_code end`,
  'operator_action.idempotency_key': "m.idempotency_key || '-' || c.n",
  'payment_attempt.intent_id': "m.intent_id || '_' || c.n",
  // That of a request to cancel is closed where the request has ended.
  'ops_task.closed_at': `case when m.kind = 'cancellation_asked' then m.closed_at + c.shift
    when c.is_done then m.opened_at + c.shift + interval '1 hour' end`,
  'print_job.print_file_key': `sha256(m.print_file_key || case when m.is_of_order then int8send(c.n) else uuid_send(c.account_id) end)`,
  'order_search.term': `case m.kind
    when 'external_reference' then upper(o.external_reference)
    when 'postcode' then replace(c.postcode, ' ', '')
    when 'recipient' then upper(case when m.term = m.first_term then c.first_name else c.last_name end)
    else m.term end`,
};
