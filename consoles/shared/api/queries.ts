import { keepPreviousData, QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query';
import { call, type Input, keepCsrfToken, type OperationId } from './client.ts';
import { NoAnswer } from './failures.ts';

/** How long an answer counts as fresh: going back within it asks for nothing. */
const FRESH_MS = 15_000;

/** Makes what keeps answers for the pages of a console. */
export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: FRESH_MS, retry: (failures, error) => error instanceof NoAnswer && failures < 1 },
      // A change that waits for the network would happen when nobody expects it any more.
      mutations: { networkMode: 'always', retry: false },
    },
  });
}

/** The answer of an operation that reads; while another page of it loads, the one before stays. */
export function reading<Id extends OperationId>(id: Id, input: Input<Id>) {
  return queryOptions({
    queryKey: [id, input],
    queryFn: ({ signal }) => call(id, input, signal),
    placeholderData: keepPreviousData,
  });
}

/** Asks ahead for what a person is about to look at: it is there by then. Nothing is asked for twice while it is fresh. */
export function useReadAhead<Id extends OperationId>(id: Id): (input: Input<Id>) => void {
  const queries = useQueryClient();
  return (input) => void queries.prefetchQuery(reading(id, input));
}

/** Who is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['getSession'],
  queryFn: async ({ signal }) => {
    const session = await call('getSession', {}, signal);
    keepCsrfToken(session);
    return session;
  },
  staleTime: Number.POSITIVE_INFINITY,
});
