import type { ErrorCode } from '../../lib/errors.ts';

/** Whether the same request may be sent again: as it is, once something else has changed, or never. */
export type Retry = 'yes' | 'after a wait' | 'once the state allows' | 'no';

export type ErrorAdvice = {
  /** When it happens. */
  readonly cause: string;
  /** What the caller does about it. */
  readonly cure: string;
  readonly retry: Retry;
};

/** What each error code means to an integrator; the page of errors and the OpenAPI document are made of it (spec 7). */
export const ERROR_GUIDE: Readonly<Record<ErrorCode, ErrorAdvice>> = {
  invalid_request: {
    cause:
      'The body is not valid JSON, is empty or is not UTF-8; or the request is not well-formed HTTP, such as one with two Host headers.',
    cure: 'Send one JSON object, encoded in UTF-8 without a byte order mark. The detail names the character where reading stopped.',
    retry: 'no',
  },
  unauthorized: {
    cause: 'There is no bearer token, or it is mistyped, expired or revoked. A token counts in the header only.',
    cure: 'Send Authorization: Bearer followed by the token. With OAuth, fetch a new access token by the refresh token.',
    retry: 'no',
  },
  insufficient_scope: {
    cause: 'The token is valid, but lacks the scope of this endpoint.',
    cure: 'Use a token with the scope that required_scope names.',
    retry: 'no',
  },
  not_found: {
    cause:
      'The path or the resource does not exist, or the resource belongs to another account: the answer does not tell which. An order that names an unknown product gets it too.',
    cure: 'Check the id, and that the token is one of the account that owns it. Paths have no slash at the end.',
    retry: 'no',
  },
  method_not_allowed: {
    cause: 'The path exists, but takes other methods.',
    cure: 'Use one of the methods in the header Allow.',
    retry: 'no',
  },
  request_timeout: {
    cause: 'The request did not arrive whole within 30 seconds.',
    cure: 'Send it again, and a large body over a better line. Nothing was done.',
    retry: 'yes',
  },
  conflict: {
    cause:
      'The resource is in a state that does not allow this: an order that is dispatched or delivered cannot be cancelled, a product that is archived or personalised cannot be changed.',
    cure: 'Fetch the resource and look at its status.',
    retry: 'no',
  },
  cancellation_window_closed: {
    cause: 'More than an hour has passed since the order was placed, and it has been released for production.',
    cure: 'Ask support to cancel it. placed_at and cancellable_until give the times.',
    retry: 'no',
  },
  out_of_stock: {
    cause: 'There are fewer blanks than the basket asks for. Nothing was charged, kept or reserved.',
    cure: 'Order what is available, as oversold lists it, or try again once GET /stock shows more.',
    retry: 'once the state allows',
  },
  artwork_not_ready: {
    cause:
      'A line was to start in production before the print-ready files of all its areas are made. Only the operations API answers with it.',
    cure: 'Wait until artwork_ready of the line is true. print_areas lists what is missing. What stands in failed_areas could not be made, and why: have it made again with POST /orders/{id}/print-files/retry.',
    retry: 'once the state allows',
  },
  duplicate_external_reference: {
    cause:
      'Another account has used this external_reference; references are unique over the whole platform. It says nothing about the other order.',
    cure: 'Use another reference. A prefix of your own, such as your shop’s name, keeps them apart.',
    retry: 'no',
  },
  payload_too_large: {
    cause: 'The body has more than 1,048,576 bytes.',
    cure: 'Send less: artwork goes by address and never in the body; split a very long order.',
    retry: 'no',
  },
  unsupported_media_type: {
    cause: 'The body is not announced as JSON in UTF-8, or is compressed.',
    cure: 'Send Content-Type: application/json and no Content-Encoding.',
    retry: 'no',
  },
  range_not_satisfiable: {
    cause: 'A download asked for bytes beyond the end of its file. Content-Range tells how many there are.',
    cure: 'Ask for a range within the file, or for the whole file without a Range header.',
    retry: 'no',
  },
  validation_failed: {
    cause:
      'The request is well-formed but wrong: a field is missing or out of bounds, a name is unknown, an artwork address fails its checks. The whole request is refused and nothing is written.',
    cure: 'Mend everything in errors: each entry has the path in your request, a code, a message and, where the choice is finite, valid_values. Up to 100 are listed.',
    retry: 'no',
  },
  headers_too_large: {
    cause: 'The request line and headers have more than 16 KiB together.',
    cure: 'Send fewer or shorter headers; a very long cookie or token is the usual reason.',
    retry: 'no',
  },
  rate_limited: {
    cause: 'Too many requests in a minute, of this token or from this address; X-RateLimit-Scope tells which.',
    cure: 'Wait for the seconds in Retry-After. Watch X-RateLimit-Remaining, and use webhooks in place of polling.',
    retry: 'after a wait',
  },
  internal_error: {
    cause: 'Something went wrong on our side. It is logged with the request id.',
    cure: 'Send it again; with its external_reference an order is never placed twice. If it stays, tell support the request_id.',
    retry: 'yes',
  },
  not_implemented: {
    cause: 'Live shipping and tax quotes do not exist yet. The request was valid.',
    cure: 'Price a basket with POST /orders/estimate: it includes shipping, VAT and duty.',
    retry: 'no',
  },
  refund_failed: {
    cause: 'The refund did not go through, so the order was not cancelled: nothing has changed.',
    cure: 'Send the cancellation again.',
    retry: 'yes',
  },
  unavailable: {
    cause: 'The database cannot be reached, this node is shutting down, or there is no room for artwork.',
    cure: 'Send it again after the seconds in Retry-After; with its external_reference an order is never placed twice.',
    retry: 'after a wait',
  },
};
