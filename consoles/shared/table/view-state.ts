import type { Operations } from '../api/portal-operations.ts';

export type SavedView = Operations['listSavedViews']['reply']['data'][number];
/** A list that has views. */
export type ViewPage = NonNullable<Operations['listSavedViews']['input']['query']>['page'];

/** What a view keeps of an address: what the list is narrowed by, and its columns. */
export type ViewState = { readonly filters: string; readonly columns: readonly string[] };

/** The view that was chosen, in an address. */
export const CHOSEN = 'saved';
const COLUMNS = 'columns';
/** Which of several lists a page shows: leaving a view stays there. */
const TAB = 'view';
/** What is no part of a view: a page of the list, and what is open above it. */
const PASSING = ['cursor', 'open'];

/** The state of a list, as its address has it. */
export function stateOf(address: URLSearchParams): ViewState {
  const rest = new URLSearchParams(address);
  for (const name of [CHOSEN, COLUMNS, ...PASSING]) rest.delete(name);
  // One list has one text, in whatever order it was narrowed.
  rest.sort();
  const columns = address.get(COLUMNS) ?? '';
  return { filters: rest.toString(), columns: columns === '' ? [] : columns.split(',') };
}

/** Whether an address shows what a view keeps. */
export function isAsSaved(view: ViewState, address: URLSearchParams): boolean {
  const [is, was] = [stateOf(address), stateOf(addressOfView(view))];
  return is.filters === was.filters && is.columns.toSorted().join() === was.columns.toSorted().join();
}

/** The address of a view: it shows the same to everyone of the account. */
export function addressOfView(view: ViewState & { readonly id?: string }): URLSearchParams {
  const address = new URLSearchParams(view.filters);
  if (view.columns.length > 0) address.set(COLUMNS, view.columns.join(','));
  if (view.id !== undefined) address.set(CHOSEN, view.id);
  return address;
}

/** An address without its view and all that this narrows. */
export function leftAddress(address: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...address].filter(([name]) => name === TAB));
}
