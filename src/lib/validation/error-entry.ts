import type { TSchema } from '../typebox.ts';

/** Whether the same request may be sent again: as it is, once something else has changed, or never. */
export type Retry = 'yes' | 'after a wait' | 'once the state allows' | 'no';

/**
 * What a code means and carries.
 * The documents, the page of errors and the client are generated from it.
 */
export type ErrorEntry = {
  readonly status: number;
  /** The same for every error of this code; without a full stop. */
  readonly title: string;
  /** When it happens. */
  readonly cause: string;
  /** What the caller does about it. */
  readonly cure: string;
  readonly retry: Retry;
  /** Headers beside those of every response. */
  readonly headers?: readonly string[];
  /** Members of the body beside those of every error (decisions, "Error body"). */
  readonly extras?: Readonly<Record<string, TSchema>>;
  /** A body as it may come: `detail`, and the extras by their names. */
  readonly example: { readonly detail: string; readonly [extra: string]: unknown };
  /**
   * Which operations answer with it.
   * `every` operation, or `none`, since it comes before the operation is known. When left out: those
   * whose shape leads to it (`errorCodesOf`) or whose route lists it in `errors`.
   */
  readonly operations?: 'every' | 'none';
  /** Set for codes of the operations API only, or of what only a person gets who signs in. */
  readonly api?: 'operations' | 'portal';
  /** What the document of the operations API has instead. */
  readonly ops?: Partial<Pick<ErrorEntry, 'cause' | 'extras' | 'example'>>;
  /** What the document of the portal has instead. */
  readonly portal?: Partial<Pick<ErrorEntry, 'cause' | 'cure' | 'extras' | 'example'>>;
};
