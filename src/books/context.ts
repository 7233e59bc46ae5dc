import type { OperatorRole } from '../lib/operator.ts';
import type { PaymentsContext } from '../payments/context.ts';

/** The context of entries of the books: money that comes back to a balance may pay orders that wait. */
export type BooksContext = PaymentsContext;

/** The role that enters money; an admin has it too. */
export const BOOKKEEPERS: readonly OperatorRole[] = ['finance'];

/** Of whom the second person is one. */
export const APPROVERS: readonly OperatorRole[] = ['finance', 'admin'];
