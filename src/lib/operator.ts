import { ApiError } from './errors.ts';
import type { Uuid } from './ids.ts';

/** What an operator may do: a viewer reads, production works orders, finance moves money, an admin does all of it. */
export const OPERATOR_ROLES = ['viewer', 'production', 'finance', 'admin'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** Who makes a request of the operations API. */
export type Operator = {
  readonly id: Uuid;
  readonly tokenId: Uuid;
  readonly email: string;
  readonly role: OperatorRole;
};

/** Whether an operator may do what needs one of some roles; an admin may do everything. */
export function mayAct(operator: Operator, roles: readonly OperatorRole[]): boolean {
  return operator.role === 'admin' || roles.includes(operator.role);
}

/** Throws 403 unless an operator may do what needs one of some roles; for what an operation that more may call needs more for. */
export function refuseRole(operator: Operator, roles: readonly OperatorRole[], detail: string): void {
  if (mayAct(operator, roles)) return;
  throw new ApiError('insufficient_scope', detail, {
    extras: { required_roles: [...roles, 'admin'] },
    headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' },
  });
}

/** Who an operator is in the history of an order, of stock and of refunds. */
export function actorOf(operator: Operator): string {
  return `operator ${operator.email}`;
}

/** What makes a repeat of a request harmless: its Idempotency-Key, if it came with one, and a hash over what it asks. */
export type Once = { readonly key: string | undefined; readonly requestHash: Buffer };
