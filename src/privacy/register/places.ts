import { freeText, ofCustomer, ofOperator, ofRecipient, type Personal, type PlaceEntry } from './entry.ts';

const FILES: Personal = {
  ...ofRecipient(
    'photos and texts of personalised pieces, and what is printed',
    'removed at once, where nothing else uses it',
  ),
  kept: 'artwork',
};
const IN_LOG: Personal = {
  of: 'operator',
  what: 'ids of accounts, operators and orders; the name of the machine’s user',
  purpose: 'audit',
  ground: 'interest',
  kept: 'log',
  erasure: 'stays until the log ends: ids name no person once the rows are gone',
};
const IN_BACKUP: Personal = {
  ...ofRecipient(
    'all that the database and the stored files held when it was taken',
    'ends with the backup; a restore erases it again',
  ),
  kept: 'backup',
};

/** What holds data outside of the tables. */
export const PLACES: readonly PlaceEntry[] = [
  {
    place: 'BLOB_STORE/files',
    about: 'Stored files: artwork, print files, previews, mocks, by the hash of their bytes',
    personal: FILES,
  },
  {
    place: 'BLOB_STORE/staging',
    about: 'Files on their way into the store; what a dead process left goes after an hour',
    personal: { ...FILES, kept: 'minutes', erasure: 'ends by itself' },
  },
  {
    place: 'BLOB_STORE/passing',
    about:
      'Proofs of personalised pieces and small pictures of stored files, until an hour after they were last asked for',
    personal: { ...FILES, kept: 'minutes', erasure: 'removed with the file that they show; a proof ends by itself' },
  },
  {
    place: 'DATA_DIR/postgres',
    about: 'The embedded database, with its write-ahead log and rows that are deleted but not yet overwritten',
    personal: {
      ...IN_BACKUP,
      what: 'the tables above',
      kept: 'order',
      erasure: 'overwritten by the database’s own clean-up',
    },
  },
  { place: 'DATA_DIR/secret.key, DATA_DIR/postgres-password', about: 'Keys of the service' },
  { place: 'DATA_DIR/*.lock', about: 'Who holds the data directory: a process id' },
  {
    place: 'DATA_DIR/drop',
    about: 'Pictures that people left for 24 hours, to be fetched as artwork; in no backup',
    personal: { ...FILES, kept: 'minutes', erasure: 'ends by itself' },
  },
  {
    place: 'DROP_S3_URL',
    about:
      'Pictures that people left in the bucket, to be fetched as artwork; the bucket’s own rule deletes them after a day',
    personal: { ...FILES, kept: 'minutes', erasure: 'ends by itself' },
  },
  { place: 'DATA_DIR/artwork-dev, DATA_DIR/sandbox', about: 'Data of development, of no person' },
  {
    place: 'ERASURE_LEDGER/erasures.log',
    about: 'What was erased, as keyed hashes, so that a restored backup can be erased again; append-only',
    personal: {
      ...ofRecipient(
        'keyed hashes of order, name with postcode, or account',
        'stays: it is what proves and repeats an erasure',
      ),
      purpose: 'books',
      ground: 'law',
      kept: 'order',
    },
  },
  { place: 'ERASURE_LEDGER/erasures.key', about: 'The key of these hashes' },
  { place: 'ERASURE_LEDGER/erasures.former', about: 'Digests of the lines of ledgers that were lost and begun anew' },
  {
    place: 'ERASURE_LEDGER/erasures.*.lost-…',
    about: 'What was left of a lost ledger: as the ledger, until you remove it',
  },
  { place: 'BLOB_STORE/store.id', about: 'The id of the store' },
  { place: 'the folder of `platen backup`', about: 'Backups', personal: IN_BACKUP },
  {
    place: 'the temporary directory',
    about: 'Folders of `platen drill`, removed at its end or by the next',
    personal: { ...IN_BACKUP, kept: 'minutes', erasure: 'ends by itself' },
  },
  {
    place: 'log: every request',
    about: 'Method, route, status, duration, ids; no query, body, header or address of the network',
    personal: IN_LOG,
  },
  {
    place: 'log: failures',
    about: 'Code and message of an error, and ids of orders, attempts, files',
    personal: IN_LOG,
  },
  {
    place: 'log: the database',
    about: 'Lines of the embedded PostgreSQL: message and code, never the row or the parameters',
    personal: IN_LOG,
  },
  { place: '/metrics', about: 'Counts and times; labels have few values that the code knows' },
  {
    place: 'webhook: order.on_hold, order.cancelled, order.payment_failed',
    about: 'Sent to the customer’s own server, which holds what it has received',
    personal: freeText('the reason that was given for the customer', 'no longer sent with it'),
  },
  {
    place: 'webhook: order.shipment_created, order.dispatched',
    about: 'Sent to the customer’s own server',
    personal: ofRecipient('tracking number and address of its page', 'no longer sent with them'),
  },
  { place: 'webhook: order.created, order.in_production', about: 'Ids, references and amounts' },
  { place: 'the payment provider: metadata and description', about: 'Our ids of the charge and of the order' },
  {
    place: 'the payment provider: customer and method',
    about: 'The provider holds them for itself; only their ids are here',
    personal: {
      ...ofCustomer('cards and bank accounts of customers, at the provider', 'removed there by hand, see the runbook'),
      purpose: 'pay',
    },
  },
  {
    place: 'cookie: the sign-in pages',
    about: 'A random value that names a session, in the browser of who signs in',
    personal: { ...ofCustomer('a random value', 'means nothing once the session is removed'), kept: 'oauth' },
  },
  { place: 'signed links', about: 'A hash of a file and when the link ends' },
  {
    place: 'memory: rate limits',
    about: 'Counts by token and by address of the network, for a minute',
    personal: {
      of: 'caller',
      what: 'addresses of the network',
      purpose: 'protect',
      ground: 'interest',
      kept: 'minutes',
      erasure: 'ends by itself',
    },
  },
  {
    place: 'the output of commands',
    about: 'What an operator asked for, on the operator’s screen',
    personal: ofOperator('what was asked for'),
  },
];
