import { freeText, ofCustomer, ofOperator, ofRecipient, type Personal, type TableEntry } from './entry.ts';

const ofArtwork = (what: string, erasure: string): Personal => ({ ...ofRecipient(what, erasure), kept: 'artwork' });
/** A free text in the books, which only grow. */
const ofBooks = (what: string): Personal => ({
  of: 'customer',
  what: `${what}; free text`,
  purpose: 'books',
  ground: 'law',
  kept: 'books',
  erasure: 'stays: the books are never changed',
});

/** The tables of operators, webhooks, artwork, products, stock and the books. */
export const SHOP_TABLES: Readonly<Record<string, TableEntry>> = {
  operator: {
    about: 'Operators',
    plain: 'id role created_at disabled_at',
    personal: {
      email: ofOperator('e-mail address of an operator'),
      password_hash: ofOperator('only as a hash: it cannot be read back'),
    },
  },
  operator_token: {
    about: 'Tokens of operators',
    plain: 'id created_at revoked_at last_used_at',
    personal: { operator_id: ofOperator('which operator'), token_hash: ofOperator('only as a hash') },
  },
  operator_action: {
    about: 'The audit log',
    plain: 'id action order_id subject_id idempotency_key created_at',
    personal: {
      operator_id: ofOperator('which operator'),
      detail: freeText('what was asked, with reasons', 'keeps numbers and ids; every other text is removed'),
      request_hash: ofRecipient('a digest of the request, to know a repeat', 'removed with the order'),
    },
  },
  ops_task: {
    about: 'Decisions that need a person',
    plain: 'id account_id order_id kind opened_at due_at closed_at',
    personal: { note: { ...freeText('what is to be decided'), kept: 'task' } },
  },
  webhook_subscription: {
    about: 'Where events go',
    plain: `account_id id events active generation failure_count disabled_reason failing_since next_attempt_at created_at
      updated_at secret_sealed_with`,
    personal: {
      url: ofCustomer('the customer’s address for events'),
      description: ofCustomer('free text of the customer'),
      secret_sealed: ofCustomer('the secret that signs, encrypted'),
    },
  },
  webhook_next_secret: {
    about: 'Signing secrets that are replacing others',
    plain: 'account_id subscription_id secret_sealed_with created_at alone_from',
    personal: { secret_sealed: ofCustomer('the secret that will sign, encrypted', 'removed with the account') },
  },
  channel: {
    about: 'Connected shops',
    plain: `account_id id platform state needs_approval delay_minutes services refunds_buyers makes_blanks
      unknown_is_others connected_at ended_at last_order_at refused last_refused_at rules_revision
      mail_due_at mailed_at`,
    personal: {
      name: ofCustomer('what the customer calls the shop; free text', 'emptied with the account'),
      address: ofCustomer('where the shop is', 'emptied with the account'),
    },
  },
  channel_secret: {
    about: 'What connected shops sign with',
    plain: 'id account_id channel_id sealed_with valid_until',
    personal: { sealed: ofCustomer('the secret, encrypted', 'removed with the account') },
  },
  channel_link: {
    about: 'How shops of platforms are reached',
    plain: `account_id channel_id sealed_with since place synced_at set_up_at next_sync_at failures retry_at fault
      fault_kind fault_since fault_mailed_at unreadable products_after products_at`,
    personal: {
      address: ofCustomer('where the shop is', 'removed with the account'),
      sealed: ofCustomer('what the shop lets us in with, encrypted', 'removed with the account'),
      facts: ofCustomer('what is known of the shop', 'removed with the account'),
      last_unreadable: ofCustomer('the shop’s own id of an order', 'removed with the account'),
    },
  },
  channel_hint: {
    about: 'Orders of which a shop has said that they changed, until they are read',
    plain: 'account_id channel_id noted_at tries again_at',
    personal: { shop_order_id: ofCustomer('the shop’s own id of the order', 'removed with the account') },
  },
  channel_report: {
    about: 'What was reported to shops of their orders, as digests',
    plain: 'account_id shop_order_id channel_id revision due_at reported reported_at failures failed_at problem',
  },
  channel_product: {
    about: 'Products that are published in shops',
    plain: `account_id channel_id product_id requested_at revision due_at digest published_at failures problem failing_since
      failed_at gone_at`,
    personal: { shop_product: ofCustomer('the shop’s ids of the product', 'removed with the account') },
  },
  channel_invitation: {
    about: 'Connections that wait for a shop’s consent, for half an hour',
    plain: 'id account_id platform channel_id state_digest created_at expires_at',
    personal: {
      address: ofCustomer('where the shop is', 'removed with the account'),
      name: ofCustomer('what the customer calls the shop; free text', 'removed with the account'),
    },
  },
  channel_item: {
    about: 'Which items of a connected shop are products here',
    plain: 'account_id channel_id product_id variant_sku ignores_entries set_at',
    personal: {
      key: ofCustomer('the shop’s id, SKU or title of the item', 'removed with the account'),
      title: ofCustomer('the shop’s title of the item', 'removed with the account'),
    },
  },
  request_log: {
    about: 'Requests of customers’ tokens, without bodies, queries and headers',
    plain: 'account_id id at method route status code ms token_id client_id',
    personal: {
      path: { ...ofCustomer('paths, with ids and references of orders', 'removed with the account'), kept: 'requests' },
    },
  },
  drop_use: {
    about: 'When customers were permitted to leave files in the bucket within a day, and of how many bytes',
    plain: 'account_id permitted_at bytes',
  },
  webhook_replay: {
    about: 'Replays of events, which name no event',
    plain: `account_id id subscription_id state paused_reason since until names events place ceiling sent succeeded failed
      open_deliveries created_at updated_at ended_at`,
  },
  event: {
    about: 'Events',
    plain: 'account_id id order_id sequence event created_at transaction_id',
    personal: {
      data: {
        ...freeText('reasons of holds, cancels and failed payments, and tracking numbers', 'these members are emptied'),
        kept: 'log_of_events',
      },
    },
  },
  webhook_delivery: {
    about: 'Deliveries of events. They hold no data of an event, but what a receiver said to it',
    plain: `account_id id subscription_id generation event_id event state attempts due_at lined_up lease_token
      response_code attempted_at created_at kind`,
    personal: {
      error: { ...ofCustomer('why the customer’s server could not be reached'), kept: 'log_of_events' },
      answer: {
        ...ofCustomer('the beginning of a failure that the customer’s server answered'),
        kept: 'log_of_events',
      },
    },
  },
  job: {
    about: 'Background jobs',
    plain: `id kind key run_at attempts lease_token last_error failed_at created_at account_id parked ranked_at
      setbacks tier line`,
    personal: {
      payload: {
        of: 'caller',
        what: 'of a request for a new password: the address, until it is looked up',
        purpose: 'protect',
        ground: 'interest',
        kept: 'minutes',
        erasure: 'ends by itself',
      },
    },
  },
  blob: {
    about: 'Stored files, by the hash of their bytes',
    plain: 'hash bytes mime width_px height_px created_at last_used_at deleting',
    personal: {
      report: ofArtwork('what was found in a picture: size, colours', 'removed with the file'),
    },
  },
  design: {
    about: 'Which account has which picture',
    plain: 'account_id created_at',
    personal: {
      hash: ofArtwork(
        'the picture, which may be a photo of a person',
        'removed, where nothing else of the account uses it',
      ),
    },
  },
  print_file_need: {
    about: 'Which orders wait for a print file',
    plain: 'account_id order_id print_file_key tier ranked_at',
  },
  print_file: {
    about: 'How print-ready files are made',
    plain: 'key account_id state output_bytes created_at ready_at dropped_at tracks_needs',
    personal: {
      recipe: ofArtwork('texts and pictures of a personalised piece', 'removed, where no other order uses it'),
      output_hash: ofArtwork('the print-ready file', 'removed, where no other order uses it'),
      preview_hash: ofArtwork('a small picture of it', 'removed, where no other order uses it'),
      failure: ofArtwork('why it could not be made', 'removed, where no other order uses it'),
    },
  },
  product: {
    about: 'What a customer sells',
    plain: `account_id id base_product_id status retail_price_pence created_at updated_at draft_version template_version
      published_at`,
    personal: {
      name: ofCustomer('name; free text of the customer'),
      description: ofCustomer('free text of the customer'),
      tags: ofCustomer('free texts of the customer'),
      mockup_hash: ofCustomer('a picture of the product'),
      personalisation: ofCustomer('the template: texts and pictures of the customer'),
      template_draft: ofCustomer('the same as it is being designed'),
    },
  },
  product_area: {
    about: 'Designs of products',
    plain: 'account_id product_id ordinal print_area method x y scale rotation',
    personal: { design_hash: ofCustomer('the picture, which may show a person', 'removed with the account') },
  },
  card_top_up: {
    about: 'Top-ups by card, on the payment provider’s page or by the saved card',
    plain: `id account_id reference request_key amount_pence origin state page_id intent_id created_at ends_at look_at settled_at
      taken_back returned_pence owed_pence`,
    personal: {
      method_reference: {
        ...ofCustomer('the payment provider’s id of the card that was charged', 'emptied with the account'),
        purpose: 'pay',
      },
    },
  },
  auto_top_up: {
    about: 'Top-ups that begin by themselves',
    plain: 'account_id threshold_pence amount_pence daily_cap_pence state failures not_before updated_at',
    personal: {
      reason: { ...ofCustomer('why a card was refused', 'removed with the account'), purpose: 'pay' },
    },
  },
  low_balance_mail: {
    about: 'Below which balance a mail is sent',
    plain: 'account_id threshold_pence state seen_entries not_before updated_at',
  },
  method_saving: {
    about: 'Cards and direct debits that are saved on the payment provider’s page, for 30 days',
    plain: 'id account_id user_id request_key kind state page_id created_at ends_at look_at ended_at',
  },
  product_variant: {
    about: 'Variants of products',
    plain: 'account_id id product_id ordinal sku active retail_price_pence',
  },
  payment_method: {
    about: 'The card or direct debit of an account',
    plain: 'account_id kind expires_on updated_at',
    personal: {
      provider_reference: {
        ...ofCustomer('the payment provider’s id of it', 'removed with the account'),
        purpose: 'pay',
      },
      provider_customer: {
        ...ofCustomer('the payment provider’s id of the customer', 'removed with the account'),
        purpose: 'pay',
      },
      label: {
        ...ofCustomer('its kind and last digits', 'removed with the account'),
        purpose: 'pay',
      },
    },
  },
  posting: {
    about: 'The books',
    plain: `account_id id order_id kind debit_account credit_account amount_pence entry balance_after_pence created_at
      book_entry_id corrects_id`,
    personal: {
      reference: ofBooks('reference of a payment by bank'),
    },
  },
  ledger_day: { about: 'Closed days of the books', plain: 'account until debit_pence credit_pence' },
  book_entry: {
    about: 'Corrections and lines of statements',
    plain: `id kind state amount_pence value_day customer_id order_id proposed_at decided_at own_approval shortfall`,
    personal: {
      reference: ofBooks('reference of a line of a statement'),
      held_reference: ofBooks('the same while it is in use'),
      reason: ofBooks('why it was entered'),
      plan: ofBooks('what it posts, with the reference'),
      proposed_by: ofOperator('who entered it'),
      proposed_by_name: ofOperator('the same by name'),
      decided_by: ofOperator('who approved or refused it'),
      decided_by_name: ofOperator('the same by name'),
      decision_reason: ofBooks('why it was refused'),
    },
  },
  book_journal: {
    about: 'Journals that were made',
    plain: 'until_day from_day made_at',
    personal: { made_by: ofOperator('who made it') },
  },
  secret_key_use: { about: 'Which keys seal and sign', plain: 'key_id first_used_at last_used_at' },
  seller_day: { about: 'From when days are those of the seller', plain: 'singleton begins_at time_zone closed_until' },
  closed_day: { about: 'Closed days of the books', plain: 'account until debit_pence credit_pence' },
  ledger_closing: { about: 'How far the books are closed', plain: 'singleton closed_until' },
  stock: { about: 'Stock', plain: 'sku on_hand allocated updated_at' },
  stock_awaiting: { about: 'What waits for promotion, by variant', plain: 'sku pieces' },
  stock_awaiting_progress: { about: 'How far that is counted', plain: 'is_only_row counted_before' },
  stock_movement: {
    about: 'Movements of stock',
    plain: 'id sku kind quantity order_id line_id created_at',
    personal: {
      reason: freeText('why stock was moved, spoiled or counted'),
      reference: ofOperator('number of a delivery note; free text'),
      actor: ofOperator('who moved it'),
    },
  },
  stock_receipt: {
    about: 'Deliveries of stock',
    plain: 'items created_at',
    personal: {
      reference_key: ofOperator('number of a delivery note; free text'),
      reference: ofOperator('number of a delivery note; free text'),
      actor: ofOperator('who booked it'),
    },
  },
  erasure: {
    about: 'What was erased, as counts and keyed hashes: kept as evidence',
    plain: 'account_id id scope subject state listed_through orders_erased files_removed requested_at done_at',
  },
  erasure_order: { about: 'Orders that are still to be erased', plain: 'account_id erasure_id order_id' },
  erasure_file: { about: 'Stored files that are still to be removed', plain: 'account_id erasure_id hash used_at' },
  erasure_ledger: {
    about: 'The ledger of erasures, as keyed hashes: kept for as long as there are backups',
    plain: 'position at scope erasure_id hash mac is_replayed',
  },
  erasure_replay: {
    about: 'How far the ledger is replayed',
    plain: 'singleton up_to_position orders_through accounts_through begun_anew_at',
  },
  blob_store: { about: 'Which store the files are in', plain: 'is_only_row id began_at' },
  backup_taken: { about: 'When the last backup was taken', plain: 'is_only_row taken_at' },
  catalogue_state: {
    about: 'Versions of the catalogue',
    plain: 'singleton catalogue_version price_book_version methods',
  },
  base_product: { about: 'Blanks', plain: 'id master_sku active document' },
  blank_variant: { about: 'Variants of blanks', plain: 'id base_product_id sku active' },
  price_book: { about: 'Prices', plain: 'version valid_from document imported_at' },
  station: { about: 'Stations of the shop', plain: 'id title methods' },
  retention_walk: {
    about: 'How far the deletion of what has ended has come',
    plain: 'name opened_at place completed_at dropped reported ended_through',
  },
  retention_report: { about: 'When its line of the day was logged', plain: 'is_only_row logged_at' },
  retention_waiting: { about: 'Orders that keep what has ended a while longer', plain: 'walk order_id account_id' },
  export_watch: {
    about: 'Exports whose evidence is not complete',
    plain: `order_id account_id due_at lacks_dispatch lacks_tracking_number lacks_declaration lacks_invoice`,
  },
  schema_migration: { about: 'Migrations', plain: 'version name checksum applied_at' },
  schema_migration_step: { about: 'Steps of migrations', plain: 'version checksum step cursor rows' },
  transaction_numbering: { about: 'Numbers of transactions', plain: 'singleton ahead written_by' },
};
