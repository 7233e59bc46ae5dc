import { freeText, ofOperator, ofRecipient, type Personal, type TableEntry } from './entry.ts';

const ofBooks = (what: string, erasure: string): Personal => ({
  of: 'customer',
  what,
  purpose: 'books',
  ground: 'law',
  kept: 'books',
  erasure,
});

const ACTOR = ofOperator('who acted: `customer`, `system`, or the id of an operator');

const ofFile = (what: string, erasure: string): Personal => ({ ...ofRecipient(what, erasure), kept: 'order_file' });
const ofShop = (what: string): Personal => ({
  ...ofRecipient(what, 'goes by its time, or with the account'),
  kept: 'shop_orders',
});
const WITH_THE_FILE = 'goes with its file, 14 days after the upload at the latest, or with the account';

/** The tables of orders, and of how they are paid, billed, made and sent. */
export const ORDER_TABLES: Readonly<Record<string, TableEntry>> = {
  orders: {
    about: 'Orders: the one place of what belongs to a recipient',
    plain: `account_id id reference type source replaces state shipping warnings line_count subtotal_pence setup_pence
      shipping_pence vat_pence duty_pence total_pence vat_breakdown setups balance_paid_pence method_paid_pence
      refunded_pence refund_owed_pence unwanted_pence attempt_id catalogue_version price_book_version version
      last_event_at changed_by placed_at paid_at cancellable_until created_at updated_at erased_at vat_territory`,
    personal: {
      shipping_address: ofRecipient('name, address, phone and e-mail of the recipient', 'cleared but for the country'),
      billing_address: ofRecipient('name and address for billing', 'cleared but for the country'),
      notes: freeText('notes of the customer'),
      metadata: freeText('pairs of text of the customer'),
      brand: {
        ...ofRecipient('name of the customer’s shop, as it stands on the slip', 'cleared when the account is erased'),
        of: 'customer',
      },
      hold: freeText('why the order is on hold', 'its reason is cleared with the order'),
      fingerprint: ofRecipient('keyed digests of the request, addresses among it'),
      external_reference: ofBooks(
        'the customer’s own number of the order; free text',
        'stays: it stands on the invoice and makes a repeat of the request safe',
      ),
      eori_number: ofBooks('customs number of the exporter', 'stays with the evidence of an export'),
      ioss_number: ofBooks('number of the one-stop shop', 'stays with the evidence of an export'),
    },
  },
  order_reference: {
    about: 'External references, each used once',
    plain: 'account_id order_id',
    personal: {
      external_reference: ofBooks('the customer’s own number of the order; free text', 'stays: it makes a repeat safe'),
    },
  },
  order_file: {
    about: 'Files of many orders that customers upload',
    plain: `account_id id columns places_repeats plan row_count state created_at updated_at confirmed_at turn_at lease_token leased_until`,
    personal: {
      name: ofFile('the name of the file; free text', 'cleared when an order of it is erased'),
      content: ofFile('names and addresses of the recipients in it', 'cleared when an order of it is erased'),
      headings: ofFile('its first row', 'cleared when an order of it is erased'),
      content_hash: ofFile('which other file has the same text', 'cleared when an order of it is erased'),
      prefix: ofFile('what stands before the customer’s own numbers; free text', WITH_THE_FILE),
    },
  },
  order_file_order: {
    about: 'Orders of such a file',
    plain: 'account_id file_id place row_numbers state total_pence attempts order_id reference begun_at is_unpaid',
    personal: {
      external_reference: ofFile('the customer’s own number of the order; free text', WITH_THE_FILE),
      shop_number: ofFile('the same without the prefix; free text', WITH_THE_FILE),
      body: ofFile('the request: name and address of the recipient', 'cleared once it is placed'),
      problems: ofFile('what is wrong with its rows, quoting them', 'cleared with the order'),
      warnings: ofFile('what may not be as it was meant', 'cleared with the order'),
    },
  },
  channel_order: {
    about: 'Orders that connected shops sent, and what became of each',
    plain: `account_id id channel_id changed_at state reason missing revision is_approved is_corrected look_at ordered_at received_at
      ended_at order_id digest weight waits_since`,
    personal: {
      supplement_of: ofShop('the shop’s own id of the order that it adds to; free text'),
      parts: ofShop('keyed digests of the parts of what was sent, by the shop’s ids of its items'),
      later: {
        ...ofRecipient('what the shop sent after it was placed', 'cleared once it is done here'),
        kept: 'shop_order',
      },
      shop_order_id: ofShop('the shop’s own id of the order; free text'),
      shop_number: ofShop('the number that the shop shows; free text'),
      items: ofShop('what was bought: titles of the shop, without what a buyer entered'),
      content: {
        ...ofRecipient('what the shop sent: name and address, and what the buyer entered', 'cleared once it is placed'),
        kept: 'shop_order',
      },
      problems: {
        ...ofRecipient('what is wrong with it, which may quote it', 'cleared with the order'),
        kept: 'shop_order',
      },
    },
  },
  order_line: {
    about: 'Lines of orders',
    plain: `account_id order_id id ordinal product_id sku quantity quantity_cancelled quantity_shipped quantity_spoiled
      replaces_line colour size unit_price_pence line_price_pence vat_class started_at declared_unit_pence`,
    personal: {
      name: ofBooks('the customer’s name of the product', 'stays: it describes the goods on the invoice'),
      mock_hash: ofRecipient('which picture shows the finished piece'),
    },
  },
  print_job: {
    about: 'Prints of a line. Hashes name designs and recipes and cannot be read back',
    plain: `account_id order_id line_id ordinal print_area method design_hash print_file_key unit_price_pence station
      promoted_at is_open quantity_done quantity_spoiled sold_design_hash replaced_at`,
  },
  order_history: {
    about: 'What happened to an order',
    plain: 'account_id order_id id action from_state to_state created_at',
    personal: { actor: ACTOR, reason: freeText('why it was done') },
  },
  order_search: {
    about: 'What operators find an order by',
    plain: 'account_id order_id kind',
    personal: {
      term: ofRecipient(
        'words of names, postcodes, phone numbers, e-mail addresses',
        'removed, but for the external reference and the amount',
      ),
    },
  },
  order_search_progress: {
    about: 'How far orders can be found',
    plain: 'is_only_row filled_through contacts_through contacts_until',
  },
  line_pause: {
    about: 'Lines that are paused',
    plain: 'account_id order_id line_id code opened_at',
    personal: { reason: freeText('why the line is paused') },
  },
  allocation: {
    about: 'Stock of orders',
    plain: 'account_id order_id line_id sku allocated consumed released for_spoiled short short_since short_task',
  },
  promotion_shortage: { about: 'Orders that are short of stock', plain: 'order_id sku account_id created_at' },
  stock_awaiting_order: { about: 'What waits for promotion, by order', plain: 'account_id order_id skus pieces' },
  artwork_failure: {
    about: 'Print files that could not be made',
    plain: 'order_id print_file_key account_id task_id created_at',
  },
  problem: {
    about: 'Problems that customers reported, and the answers',
    plain: `account_id id order_id kind status task_id reported_at answer_due_at ended_at replacement_id refund_pence`,
    personal: {
      text: freeText('what is wrong'),
      external_reference: freeText('the customer’s own name of the problem'),
      answer: freeText('what the shop said'),
      answered_by: ACTOR,
    },
  },
  cancellation_request: {
    about: 'Requests of customers to cancel an order, and the answers',
    plain: 'account_id id order_id state reason task_id asked_at answer_due_at ended_at',
    personal: {
      text: freeText('why it is to be cancelled'),
      answer: freeText('what the shop said'),
      answered_by: ACTOR,
    },
  },
  problem_line: { about: 'The pieces of a problem', plain: 'account_id problem_id order_id line_id quantity' },
  problem_photo: {
    about: 'Photos of a problem',
    plain: 'account_id id problem_id order_id created_at ended_at',
    personal: {
      hash: {
        ...ofRecipient('which pictures show the problem', 'removed with the order, and the files'),
        kept: 'photos',
      },
    },
  },
  shipment: {
    about: 'Parcels',
    plain: 'account_id order_id id carrier shipped_at updated_at',
    personal: {
      shipping_address: ofRecipient('the address that the parcel left for', 'cleared but for the country'),
      tracking_number: ofRecipient(
        'the carrier’s number of the parcel',
        'cleared; of an export it stays six years, as evidence for its VAT',
      ),
      tracking_url: ofRecipient('where the parcel can be tracked'),
      customs: ofBooks(
        'the customs declaration: goods, values, and the exporter’s name and numbers',
        'stays six years, as evidence for the VAT of an export',
      ),
    },
  },
  shipment_item: { about: 'What is in a parcel', plain: 'account_id order_id shipment_id line_id quantity' },
  setup_right: {
    about: 'Setups that an account has paid',
    plain: 'account_id design_hash method paid_by_order amount_pence created_at',
  },
  setup_reliance: { about: 'Orders that rely on a setup', plain: 'account_id design_hash method order_id' },
  payment_attempt: {
    about: 'Charges',
    plain: `id account_id order_id method amount_pence state intent_id created_at look_at settled_at try_balance_at
      returned_at returned_pence recovered_at won_at dispute_id past_disputes returned_before_pence`,
    personal: {
      provider_reference: ofBooks('the payment provider’s id of the customer’s method', 'stays: evidence of a payment'),
      reason: freeText('why a charge failed, or an operator’s note'),
    },
  },
  payment_dispute: {
    about: 'Disputes of payments: what the provider took and gave back',
    plain: `account_id order_id attempt_id dispute_id state withdrawn_pence reinstated_pence is_listed booked_withdrawn_pence
      booked_reinstated_pence opened_at updated_at`,
  },
  payment: {
    about: 'What was paid by card or direct debit',
    plain: 'account_id order_id id method amount_pence paid_at',
    personal: {
      provider_reference: ofBooks('the payment provider’s id of the payment', 'stays: evidence of a payment'),
    },
  },
  refund: {
    about: 'What was paid back',
    plain: `account_id order_id id method payment_id credit_id amount_pence state is_paid_out created_at done_at`,
    personal: { reason: freeText('why it was paid back'), actor: ACTOR },
  },
  order_credit: {
    about: 'Credits of orders',
    plain: `account_id order_id id kind vat_breakdown net_pence vat_pence duty_pence total_pence created_at noted_at`,
    personal: {
      reason: freeText('why it was credited'),
      actor: ACTOR,
      lines: ofBooks('what was credited, with the customer’s names of products', 'stays: it stands on the credit note'),
    },
  },
  invoice: {
    about: 'Invoices',
    plain: 'account_id order_id number issued_at',
    personal: {
      document: ofBooks(
        'who was billed, for what, and when it was paid',
        'keeps the buyer; a recipient that an older document names is taken out',
      ),
    },
  },
  credit_note: {
    about: 'Credit notes',
    plain: 'account_id order_id credit_id number issued_at',
    personal: {
      document: ofBooks(
        'who was credited, for what and why',
        'keeps the buyer’s legal identity; a recipient that an older document names is taken out, and so is the reason',
      ),
    },
  },
  invoice_series: { about: 'The next number of a document', plain: 'singleton next_number' },
  spending_day: {
    about: 'What accounts were invoiced and credited by day; kept as long as the documents',
    plain:
      'account_id day products_pence setup_pence shipping_pence vat_pence duty_pence refunded_pence invoices credit_notes',
  },
  spending_progress: { about: 'How far that is summed', plain: 'singleton counted_through' },
  invoicing: { about: 'How far invoices are issued', plain: 'singleton placed_through paid_through' },
};
