import { daysKept, onOrOff, wholeNumber } from './forms.ts';

const KEEPING = 'How long things are kept, in days. `platen retention --dry-run` says what would go';

/** The settings of retention: a part of the one table of settings. */
export const KEEPING_SETTINGS = {
  retentionSweep: {
    name: 'RETENTION_SWEEP',
    group: KEEPING,
    form: onOrOff,
    default: 'on',
    means:
      'Whether a worker deletes what has reached the end of its time. `off` for an installation that looks at `platen retention --dry-run` first; what the law wants deleted then stays.',
  },
  keepEventsDays: {
    name: 'KEEP_EVENTS_DAYS',
    group: KEEPING,
    form: wholeNumber(30, 3_650),
    default: '30',
    means:
      'Events of the log, and their deliveries with the outcome of each attempt. A longer time holds for events that are still there.',
  },
  keepArtworkDays: {
    name: 'KEEP_ARTWORK_DAYS',
    group: KEEPING,
    form: wholeNumber(30, 36_500),
    default: '90',
    means:
      'Artwork, texts and photos of personalised pieces, print files and previews of an order, after it was dispatched or last changed since. 30 days at least: so long a customer may claim a replacement. A design stays as long as a product uses it.',
  },
  keepCancelledArtworkDays: {
    name: 'KEEP_CANCELLED_ARTWORK_DAYS',
    group: KEEPING,
    form: wholeNumber(1, 36_500),
    default: '7',
    means:
      'The same of a cancelled order of which nothing was sent, and of an unpaid one; the unpaid one keeps it for `AUTO_SETTLE_HOURS` at least.',
  },
  keepAddressesDays: {
    name: 'KEEP_ADDRESSES_DAYS',
    group: KEEPING,
    form: wholeNumber(90, 36_500),
    default: '2200',
    means:
      'Addresses of a dispatched or cancelled order, and every free text about it, after its last change; then they are erased as on request. Six years and a week: so long a claim from a contract may be brought. Not less than `KEEP_ARTWORK_DAYS`. What proves an export stays.',
  },
  keepUnpaidAddressesDays: {
    name: 'KEEP_UNPAID_ADDRESSES_DAYS',
    group: KEEPING,
    form: wholeNumber(30, 36_500),
    default: '90',
    means:
      'The same of an order that waits for its payment, after its last change, and for `AUTO_SETTLE_HOURS` at least. It goes on waiting, and cannot be paid any more: cancel it, and have the customer place a new one.',
  },
  keepProblemPhotosDays: {
    name: 'KEEP_PROBLEM_PHOTOS_DAYS',
    group: KEEPING,
    form: wholeNumber(30, 3_650),
    default: '180',
    means: 'Photos of a problem after it was answered or withdrawn. Its text stays with the order.',
  },
  keepAuditDays: {
    name: 'KEEP_AUDIT_DAYS',
    group: KEEPING,
    form: daysKept(365),
    default: '2557',
    means: 'The audit log of operators and its Idempotency-Keys: seven years, as long as the books. 0 keeps them.',
  },
  keepTasksDays: {
    name: 'KEEP_TASKS_DAYS',
    group: KEEPING,
    form: daysKept(30),
    default: '730',
    means: 'Tasks after they were closed. 0 keeps them.',
  },
  keepMailDays: {
    name: 'KEEP_MAIL_DAYS',
    group: KEEPING,
    form: wholeNumber(1, 365),
    default: '30',
    means:
      'To whom a mail went, what about in a word, and what the mail server answered. What it said goes when it was sent.',
  },
  keepFailedJobsDays: {
    name: 'KEEP_FAILED_JOBS_DAYS',
    group: KEEPING,
    form: daysKept(1),
    default: '30',
    means: 'Background jobs that were given up, with their last error. 0 keeps them.',
  },
  keepRevokedTokensDays: {
    name: 'KEEP_REVOKED_TOKENS_DAYS',
    group: KEEPING,
    form: daysKept(30),
    default: '365',
    means: 'Revoked tokens of accounts and operators (hashes only), and revoked grants of apps. 0 keeps them.',
  },
} as const;
