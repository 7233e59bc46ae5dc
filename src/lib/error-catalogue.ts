import { Money, Timestamp } from './schemas.ts';
import { Type } from './typebox.ts';
import type { ErrorEntry } from './validation/error-entry.ts';
import {
  BookedReceipt,
  ExpiredArea,
  LackingLine,
  OversoldMember,
  ProblemMember,
  UnfinishedLine,
} from './validation/error-members.ts';
import { SESSION_ERRORS } from './validation/session-errors.ts';

export type { ErrorEntry } from './validation/error-entry.ts';

const catalogue = {
  invalid_request: {
    status: 400,
    title: 'The request could not be read',
    cause:
      'The body is not valid JSON, is empty or is not UTF-8; or the request is not well-formed HTTP, such as one with two Host headers.',
    cure: 'Send one JSON object, encoded in UTF-8 without a byte order mark. The detail names the character where reading stopped, where that is known.',
    retry: 'no',
    example: { detail: 'The body is not valid JSON near character 118.' },
    operations: 'every',
  },
  idempotency_key_required: {
    status: 400,
    title: 'The request needs an Idempotency-Key',
    cause:
      'The operation moves money, and the request has no Idempotency-Key, so a repeat of it could move the money twice.',
    cure: 'Send a key of your choice, new for each request, and the same key when you repeat the request.',
    retry: 'no',
    example: {
      detail:
        'This operation moves money and needs the header Idempotency-Key: a text of your choice, new for each request, and the same when you repeat it.',
    },
    api: 'operations',
  },
  unauthorized: {
    status: 401,
    title: 'The bearer token is missing or not valid',
    cause: 'There is no bearer token, or it is mistyped, expired or revoked. Only a token in the header counts.',
    cure: 'Send Authorization: Bearer followed by the token. With OAuth, use the refresh token to get a new access token.',
    retry: 'no',
    headers: ['WWW-Authenticate'],
    example: { detail: 'The bearer token is not valid; it may be mistyped, expired or revoked.' },
    operations: 'every',
    portal: {
      cause:
        'There is no session, or it is over: signed out, not used for twelve hours, older than seven days, or ended.',
      cure: 'Sign in.',
      example: { detail: 'You are not signed in, or your session is over. Sign in.' },
    },
  },
  ...SESSION_ERRORS,
  insufficient_scope: {
    status: 403,
    title: 'The token lacks the scope of this endpoint',
    cause: 'The token is valid, but lacks the scope of this endpoint.',
    cure: 'Use a token with the scope that required_scope names.',
    retry: 'no',
    headers: ['WWW-Authenticate'],
    extras: { required_scope: Type.String({ description: 'The scope that the token lacks.' }) },
    example: { detail: 'This endpoint needs a token with the scope orders:write.', required_scope: 'orders:write' },
    operations: 'every',
    ops: {
      cause: 'The token is valid, but the operator has another role.',
      extras: {
        required_roles: Type.Array(Type.String(), { description: 'The roles of which the operator needs one.' }),
      },
      example: {
        detail: 'This needs an operator with the role finance or admin.',
        required_roles: ['finance', 'admin'],
      },
    },
    portal: {
      cause: 'The person is signed in, but has another role in the account.',
      cure: 'Ask an owner of the account.',
      extras: {
        required_roles: Type.Array(Type.String(), { description: 'The roles of which the person needs one.' }),
      },
      example: { detail: 'This needs the role owner.', required_roles: ['owner'] },
    },
  },
  not_found: {
    status: 404,
    title: 'There is no such resource',
    cause:
      'The path or the resource does not exist, or the resource belongs to another account; the answer does not say which. Also the answer to an order that names an unknown product.',
    cure: 'Check the id, and that the token is one of the account that owns it. Paths have no slash at the end.',
    retry: 'no',
    extras: {
      errors: Type.Optional(
        Type.Array(ProblemMember, { description: 'Each line of an order that names an unknown product, by its path.' }),
      ),
    },
    example: { detail: 'There is no such resource in this account. Check the id.' },
    ops: { cause: 'The path or the resource does not exist.', extras: {} },
    portal: { extras: {} },
  },
  method_not_allowed: {
    status: 405,
    title: 'The path exists, but not with this method',
    cause: 'The path exists, but does not accept this method.',
    cure: 'Use one of the methods in the header Allow.',
    retry: 'no',
    headers: ['Allow'],
    example: { detail: 'This path takes GET, HEAD, POST.' },
    operations: 'none',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    cause: 'The request was not complete within 30 seconds.',
    cure: 'Send it again; use a faster connection for a large body. Nothing was done.',
    retry: 'yes',
    example: { detail: 'The request did not arrive whole in time. Send it again.' },
    operations: 'none',
  },
  conflict: {
    status: 409,
    title: 'The state of the resource does not allow this',
    cause:
      'The resource is in a state that does not allow this: an order that is dispatched or delivered cannot be cancelled, a product that is archived or personalised cannot be changed.',
    cure: 'Fetch the resource and look at its status.',
    retry: 'no',
    example: { detail: 'The order is dispatched and can no longer be cancelled.' },
    ops: { example: { detail: 'This Idempotency-Key was used for another request. Use a new one for each request.' } },
  },
  cancellation_window_closed: {
    status: 409,
    title: 'The cancellation window has closed',
    cause: 'The cancellation window of the order has passed: an hour from placing, unless the print shop sets another.',
    cure: 'Ask the shop to cancel it: POST /orders/{id}/cancellation-request. placed_at and cancellable_until give the times.',
    retry: 'no',
    extras: {
      placed_at: { ...Timestamp, description: 'When the order was placed.' },
      cancellable_until: { ...Timestamp, description: 'When the window closed.' },
    },
    example: {
      detail:
        'This order could be cancelled until 2026-11-21T10:30:00.000Z. Ask the shop to: POST /orders/{id}/cancellation-request.',
      placed_at: '2026-11-21T09:30:00.000Z',
      cancellable_until: '2026-11-21T10:30:00.000Z',
    },
  },
  out_of_stock: {
    status: 409,
    title: 'The basket cannot be made from stock',
    cause: 'There are fewer blanks in stock than the basket needs. Nothing was charged, stored or reserved.',
    cure: 'Order what is available, as oversold lists it, or try again once GET /stock shows more.',
    retry: 'once the state allows',
    extras: { oversold: Type.Array(OversoldMember, { description: 'Every variant that is short.' }) },
    example: {
      detail: 'Not enough in stock: TEE-CLASSIC-BLK-M (7 of 12). See oversold.',
      oversold: [{ variant_sku: 'TEE-CLASSIC-BLK-M', requested: 12, available: 7, lines: [0] }],
    },
  },
  price_changed: {
    status: 409,
    title: 'The order has another price than was expected',
    cause: 'The total is not the expected_total of the request. Nothing was charged or stored.',
    cure: 'Show the present total to who decides, and send the order again with it as expected_total.',
    retry: 'no',
    extras: { total: { ...Money, description: 'What the order costs at this moment.' } },
    example: { detail: 'The order costs 21.54 now, not 19.98.', total: 21.54 },
  },
  artwork_expired: {
    status: 409,
    title: 'The artwork was deleted because its time was over',
    cause:
      'The artwork of an order is deleted 90 days after its dispatch, or 7 days after it was cancelled or left unpaid; an operator may have set other times. Without it pieces cannot be made again, and the order cannot be paid. Operations API only.',
    cure: 'areas lists the lines and print areas whose artwork is gone. Have the customer place a new order that supplies it.',
    retry: 'no',
    extras: {
      areas: Type.Array(ExpiredArea, { description: 'What must be supplied anew.' }),
    },
    example: {
      detail:
        'The artwork was deleted because its time was over: front of line_01kf2q8zj0fcv9y5d3m1x7r6tn. Have the customer place a new order with this artwork, and refund it.',
      areas: [{ line_id: 'line_01kf2q8zj0fcv9y5d3m1x7r6tn', print_area: 'front', method: 'dtg' }],
    },
    api: 'operations',
  },
  artwork_not_ready: {
    status: 409,
    title: 'The print-ready artwork is still being made',
    cause: 'The line cannot start until the print-ready files of all its areas are made. Operations API only.',
    cure: 'Wait until artwork_ready of the line is true. print_areas lists the missing areas. failed_areas lists those that could not be made, and why: retry them with POST /orders/{id}/print-files/retry.',
    retry: 'once the state allows',
    extras: {
      print_areas: Type.Array(Type.String(), { description: 'The areas without a print-ready file.' }),
      failed_areas: Type.Array(Type.Object({ area: Type.String(), reason: Type.String() }), {
        description:
          'Those of them whose file could not be made, and why. Retry these; the others are still being made.',
      }),
    },
    example: {
      detail: 'The print-ready artwork of this line is not finished: front.',
      print_areas: ['front'],
      failed_areas: [],
    },
    api: 'operations',
  },
  pieces_not_finished: {
    status: 409,
    title: 'The parcel has unfinished pieces',
    cause:
      'The print shop ships only finished pieces (`SHIP_REQUIRES`), and with this parcel more of a line would be shipped than are finished. Nothing was shipped. Operations API only.',
    cure: 'Finish the pieces with POST /orders/{id}/lines/{line}/finish, or ship fewer. unfinished gives the numbers of each line.',
    retry: 'once the state allows',
    extras: {
      unfinished: Type.Array(UnfinishedLine, { description: 'Each line of the parcel with too few finished pieces.' }),
    },
    example: {
      detail:
        'Finish pieces before they ship: line_01k9zq5v8xfz3r6t2m4n7p0qsw (6 finished, 4 shipped before, 3 in this parcel).',
      unfinished: [{ line_id: 'line_01k9zq5v8xfz3r6t2m4n7p0qsw', finished: 6, shipped: 4, requested: 3 }],
    },
    api: 'operations',
  },
  pieces_short: {
    status: 409,
    title: 'Spoiled pieces have not been made again',
    cause:
      'Pieces of the line were spoiled, and their new blanks have not come in or are not started; with this request more would be finished or shipped than there are. Nothing was recorded. Operations API only.',
    cure: 'Ask for fewer pieces: ready in short has how many there are. Start the line again for blanks that have come in (to_start); for the others receive or count stock, or cancel the pieces.',
    retry: 'once the state allows',
    extras: {
      short: Type.Array(LackingLine, { description: 'Each line of the request with too few pieces.' }),
    },
    example: {
      detail:
        'Spoiled pieces that have not been made again cannot be shipped: line_01k9zq5v8xfz3r6t2m4n7p0qsw (4 requested, 3 there, short of 1 of TEE-CLASSIC-WHT-M). Ask for fewer, or receive or count stock, or cancel what cannot be made (POST /orders/PF-7K2M9QXA/cancel).',
      short: [
        {
          line_id: 'line_01k9zq5v8xfz3r6t2m4n7p0qsw',
          variant_sku: 'TEE-CLASSIC-WHT-M',
          requested: 4,
          ready: 3,
          short: 1,
          to_start: 0,
        },
      ],
    },
    api: 'operations',
  },
  duplicate_receipt: {
    status: 409,
    title: 'The delivery note is booked already',
    cause:
      'A receipt of stock has this reference, in any letter case and spacing. Nothing was booked now. Operations API only.',
    cure: 'Compare booked with the delivery. If it is another delivery, add what tells the two apart, such as the name of the supplier, to the reference.',
    retry: 'no',
    extras: {
      booked: { ...BookedReceipt, description: 'What the reference booked the first time, when, and by whom.' },
    },
    example: {
      detail:
        'The delivery note DN-4711 was booked at 2026-11-21T09:30:00.000Z by operator jo@shop.example: 48 of TEE-CLASSIC-WHT-M. Nothing was booked now. Another delivery needs another reference.',
      booked: {
        reference: 'DN-4711',
        items: [{ sku: 'TEE-CLASSIC-WHT-M', quantity: 48 }],
        actor: 'operator jo@shop.example',
        created_at: '2026-11-21T09:30:00.000Z',
      },
    },
    api: 'operations',
  },
  duplicate_external_reference: {
    status: 409,
    title: 'The external reference is already in use',
    cause:
      'Another account has used this external_reference; references are unique across the whole platform. The answer says nothing about the other order.',
    cure: 'Use another reference. A prefix of your own, such as your shop’s name, keeps them apart.',
    retry: 'no',
    example: { detail: 'This external_reference is in use. References are unique across all accounts.' },
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    cause: 'The body has more than 1,048,576 bytes.',
    cure: 'Send less. Send artwork as a URL, never in the body, and split a very long order.',
    retry: 'no',
    example: { detail: 'The body may have at most 1048576 bytes.' },
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body must be application/json',
    cause: 'The body is not declared as JSON in UTF-8, or is compressed.',
    cure: 'Send Content-Type: application/json and no Content-Encoding.',
    retry: 'no',
    example: { detail: 'Send the body as Content-Type: application/json, encoded in UTF-8.' },
  },
  range_not_satisfiable: {
    status: 416,
    title: 'The file does not reach the range asked for',
    cause: 'A download requested bytes beyond the end of the file. Content-Range gives its size.',
    cure: 'Request a range within the file, or the whole file without a Range header.',
    retry: 'no',
    example: { detail: 'The file has 5120 bytes, and none of them in the range asked for.' },
    operations: 'none',
  },
  validation_failed: {
    status: 422,
    title: 'The request has problems',
    cause:
      'The request is well-formed but wrong: a field is missing or out of bounds, a name is unknown, an artwork URL fails its checks. The whole request is refused and nothing is written.',
    cure: 'Correct everything in errors: each entry has the path in your request, a code, a message and, where the choice is finite, valid_values. Up to 100 are listed.',
    retry: 'no',
    extras: {
      errors: Type.Array(ProblemMember, {
        minItems: 1,
        maxItems: 100,
        description: 'All problems of the request.',
      }),
      valid_events: Type.Optional(
        Type.Array(Type.String(), { description: 'The names of all events, if an event name was unknown.' }),
      ),
    },
    example: {
      detail: 'items[0].quantity: must be at least 1.',
      errors: [{ path: 'items[0].quantity', code: 'out_of_bounds', message: 'must be at least 1.' }],
    },
  },
  headers_too_large: {
    status: 431,
    title: 'The request headers are too large',
    cause: 'The request line and headers have more than 16 KiB together.',
    cure: 'Send fewer or shorter headers; a very long cookie or token is the usual reason.',
    retry: 'no',
    example: { detail: 'The request line and headers may have at most 16 KiB together.' },
    operations: 'none',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    cause: 'Too many requests in a minute from this token or IP address; X-RateLimit-Scope says which.',
    cure: 'Wait for the seconds in Retry-After. Watch X-RateLimit-Remaining, and use webhooks instead of polling.',
    retry: 'after a wait',
    headers: ['Retry-After'],
    example: { detail: 'More than 600 requests a minute from this token. Try again in 12 s.' },
    operations: 'every',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong on our side',
    cause: 'Something went wrong on our side. It is logged with the request id.',
    cure: 'Send it again; with its external_reference an order is never placed twice. If it persists, send the request_id to support.',
    retry: 'yes',
    example: { detail: 'Something went wrong on our side. Try again; if it stays, quote the request id.' },
    operations: 'every',
  },
  not_implemented: {
    status: 501,
    title: 'This endpoint is not available yet',
    cause: 'Live shipping and tax quotes do not exist yet. The request was valid.',
    cure: 'Price a basket with POST /orders/estimate: it includes shipping, VAT and duty.',
    retry: 'no',
    example: { detail: 'Live quotes are not available yet. POST /orders/estimate prices a basket.' },
  },
  refund_failed: {
    status: 502,
    title: 'The refund failed, and the order is unchanged',
    cause: 'The refund did not go through, so the order was not cancelled: nothing has changed.',
    cure: 'Send the cancellation again.',
    retry: 'yes',
    example: { detail: 'The refund failed, so the order was not cancelled. Send the request again.' },
  },
  unavailable: {
    status: 503,
    title: 'The service is not available right now',
    cause: 'The database cannot be reached, this node is shutting down, or there is no room for artwork.',
    cure: 'Send it again after the seconds in Retry-After; with its external_reference an order is never placed twice.',
    retry: 'after a wait',
    headers: ['Retry-After'],
    example: { detail: 'The service is shutting down. Try again.' },
    operations: 'every',
  },
} satisfies Readonly<Record<string, ErrorEntry>>;

export type ErrorCode = keyof typeof catalogue;

/**
 * The one catalogue of errors that leave the service (spec 7; decisions, "Shapes and codes").
 * In the order of the page and the documents. A new code is one entry here; `npm run openapi`
 * generates the rest.
 */
export const ERRORS: Readonly<Record<ErrorCode, ErrorEntry>> = catalogue;

export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[];
