/** Why data is held. */
export const PURPOSES = {
  fulfil: 'to make, send and declare the order',
  explain: 'to say why something was done to an order',
  account: 'to serve the customer: sign-in, calls, messages',
  pay: 'to be paid and to pay back',
  books: 'to keep the books and documents that tax law demands',
  audit: 'to know who did what',
  protect: 'to keep attackers out',
} as const;

/** The lawful ground (UK GDPR, article 6), in plain words. */
export const GROUNDS = {
  contract:
    'the contract with the customer (6.1 b); for recipients the customer is the controller and Platen its processor',
  law: 'a legal duty: books, VAT and export evidence (6.1 c)',
  interest: 'a legitimate interest in safety and evidence (6.1 f)',
} as const;

/** How long it is held at the longest; an erasure ends most of it earlier. */
export const KEPT = {
  order: '2,200 days after the order ended (KEEP_ADDRESSES_DAYS), or until it is erased',
  log_of_events: '30 days (KEEP_EVENTS_DAYS), or until the order is erased',
  task: 'two years after it was closed (KEEP_TASKS_DAYS), or until the order is erased',
  artwork:
    '90 days after dispatch, 7 after a cancel (KEEP_ARTWORK_DAYS, KEEP_CANCELLED_ARTWORK_DAYS), or until the order is erased; what a product uses, as long as it does',
  photos: '180 days after the answer (KEEP_PROBLEM_PHOTOS_DAYS), or until the order is erased',
  account: 'as long as the account, until it is erased',
  brand:
    'as long as the account has it, or an order that was placed with it; what neither has, a day more; or until the account is erased',
  books: 'six years after the end of the tax year, also through an erasure',
  audit: 'seven years (KEEP_AUDIT_DAYS)',
  minutes: 'until it expires, hours at the most',
  session: 'a day longer than the session, eight days at the most',
  sign_up: 'a day until the address is confirmed, then 30 days at the most',
  oauth: 'until it expires, 90 days at the most',
  requests: 'seven days',
  order_file: '14 days',
  sign_ins: '90 days',
  shop_order: '90 days, until it is placed or ignored',
  shop_orders: 'two years after it was placed or ignored',
  mail: '30 days after it was sent or given up (KEEP_MAIL_DAYS)',
  log: 'as long as the operator keeps the output of the process',
  backup: '35 days, the default of `platen backup --keep-days`',
} as const;
