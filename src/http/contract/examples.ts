import recorded from './examples.json' with { type: 'json' };

/** A request that the service accepted, and its reply. */
export type OperationExamples = { readonly request?: unknown; readonly reply?: unknown };

/** By operation, as `test/contract/record-examples.ts` recorded them on the real service. */
export const EXAMPLES: Readonly<Record<string, OperationExamples>> = recorded;
