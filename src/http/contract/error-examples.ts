import { ERRORS, type ErrorCode } from '../../lib/errors.ts';
import type { JsonObject } from './schemas.ts';

/** The request id of all examples. */
export const EXAMPLE_REQUEST_ID = 'req_01k9zq5v8xfz3r6t2m4n7p0qsw';

const EXAMPLE_EXTRAS: Partial<Readonly<Record<ErrorCode, JsonObject>>> = {
  insufficient_scope: { required_scope: 'orders:write' },
  validation_failed: {
    errors: [{ path: 'items[0].quantity', code: 'out_of_bounds', message: 'must be at least 1.' }],
  },
  out_of_stock: { oversold: [{ variant_sku: 'TEE-CLASSIC-BLK-M', requested: 12, available: 7, lines: [0] }] },
  artwork_not_ready: { print_areas: ['front'], failed_areas: [] },
  cancellation_window_closed: {
    placed_at: '2026-11-21T09:30:00.000Z',
    cancellable_until: '2026-11-21T10:30:00.000Z',
  },
};

const EXAMPLE_DETAILS: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'The body is not valid JSON near character 118.',
  unauthorized: 'The bearer token is not valid; it may be mistyped, expired or revoked.',
  insufficient_scope: 'This endpoint needs a token with the scope orders:write.',
  not_found: 'There is no such resource in this account. Check the id.',
  method_not_allowed: 'This path takes GET, HEAD, POST.',
  request_timeout: 'The request did not arrive whole in time. Send it again.',
  conflict: 'The order is dispatched and can no longer be cancelled.',
  cancellation_window_closed: 'The order could be cancelled until 2026-11-21T10:30:00.000Z. Ask support.',
  out_of_stock: 'Not enough in stock: TEE-CLASSIC-BLK-M (7 of 12). See oversold.',
  artwork_not_ready: 'The print-ready artwork of this line is not finished: front.',
  duplicate_external_reference: 'This external_reference is in use. References are unique across all accounts.',
  payload_too_large: 'The body may have at most 1048576 bytes.',
  unsupported_media_type: 'Send the body as Content-Type: application/json, encoded in UTF-8.',
  range_not_satisfiable: 'The file has 5120 bytes, and none of them in the range asked for.',
  validation_failed: 'items[0].quantity: must be at least 1.',
  headers_too_large: 'The request line and headers may have at most 16 KiB together.',
  rate_limited: 'More than 600 requests a minute from this token. Try again in 12 s.',
  internal_error: 'Something went wrong on our side. Try again; if it stays, quote the request id.',
  not_implemented: 'Live quotes are not available yet. POST /orders/estimate prices a basket.',
  refund_failed: 'The refund failed, so the order was not cancelled. Send the request again.',
  unavailable: 'The service is shutting down. Try again.',
};

/** What operators are told in other words than customers are. */
export const OPS_EXAMPLES: ErrorExamples = {
  insufficient_scope: {
    detail: 'This needs an operator with the role finance or admin.',
    extras: { required_roles: ['finance', 'admin'] },
  },
  not_found: { detail: 'There is no such resource in this account. Check the id.' },
  conflict: { detail: 'This Idempotency-Key was used for another request. Use a new one for each request.' },
  out_of_stock: { detail: 'Not enough in stock: TEE-CLASSIC-BLK-M (7 of 12). See oversold.' },
};

/** Examples of a document that differ from those of all. */
export type ErrorExamples = Partial<
  Readonly<Record<ErrorCode, { readonly detail: string; readonly extras?: JsonObject }>>
>;

/** An error of a code as it may come. */
export function errorExample(code: ErrorCode, own: ErrorExamples = {}): JsonObject {
  const { status, title } = ERRORS[code];
  const detail = own[code]?.detail ?? EXAMPLE_DETAILS[code];
  const head = { type: `/docs/errors#${code}`, title, status, code, detail, request_id: EXAMPLE_REQUEST_ID };
  return { ...head, ...(own[code]?.extras ?? EXAMPLE_EXTRAS[code]) };
}
