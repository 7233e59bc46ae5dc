export type { Body, CallOptions, ClientOptions, OperationId, Query, Reply } from './call.ts';
export { type Client, createClient } from './client.ts';
export {
  type ErrorCode,
  type ErrorExtras,
  isPlatenError,
  PlatenConnectionError,
  PlatenError,
} from './errors.ts';
export type * from './generated.ts';
export type { Placement } from './place-order.ts';
export type { Fetch, TokenSource } from './send.ts';
export {
  type HeaderSource,
  type PlatenEvent,
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookProblem,
  WebhookVerificationError,
} from './verify-webhook.ts';
export { VERSION } from './version.ts';
