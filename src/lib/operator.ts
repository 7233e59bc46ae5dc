import { ApiError } from './errors.ts';
import type { Uuid } from './ids.ts';

/**
 * What an operator may do.
 * A viewer reads, production works orders, finance moves money, an admin does all of it.
 */
export const OPERATOR_ROLES = ['viewer', 'production', 'finance', 'admin'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** Who makes a request of the operations API. */
export type Operator = {
  readonly id: Uuid;
  readonly tokenId: Uuid;
  readonly email: string;
  readonly role: OperatorRole;
};

/** Whether an operator has one of some roles; an admin has them all. */
export function mayAct(operator: Operator, roles: readonly OperatorRole[]): boolean {
  return operator.role === 'admin' || roles.includes(operator.role);
}

/**
 * Throws 403 unless an operator has one of some roles.
 * For a part of an operation that needs more than its route asks for.
 */
export function refuseRole(operator: Operator, roles: readonly OperatorRole[], detail: string): void {
  if (mayAct(operator, roles)) return;
  throw new ApiError('insufficient_scope', detail, {
    extras: { required_roles: [...roles, 'admin'] },
    headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' },
  });
}

/** The operator as the history of an order, of stock and of refunds names it. */
export function actorOf(operator: Operator): string {
  return `operator ${operator.email}`;
}

/**
 * What makes a repeated request idempotent.
 * Its Idempotency-Key, if it has one, and a hash of its content.
 */
export type Once = {
  readonly key: string | undefined;
  readonly requestHash: Buffer;
  /** What the hash would be by earlier keys, where it is a keyed one. */
  readonly earlierHashes?: readonly Buffer[];
};
