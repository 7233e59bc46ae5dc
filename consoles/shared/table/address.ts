import { useSearchParams } from 'wouter';

/**
 * The state of a page that stands in its address: a filter, a page of a list.
 * A change of a filter leaves the page of the list, and is a step that the browser goes back over.
 */
export function useAddressState(): {
  readonly get: (name: string) => string | undefined;
  readonly set: (changes: Readonly<Record<string, string | undefined>>) => void;
} {
  const [params, setParams] = useSearchParams();
  return {
    get: (name) => params.get(name) ?? undefined,
    set: (changes) => {
      setParams((before) => {
        const next = new URLSearchParams(before);
        if (!('cursor' in changes)) next.delete('cursor');
        for (const [name, value] of Object.entries(changes)) {
          if (value === undefined || value === '') next.delete(name);
          else next.set(name, value);
        }
        return next;
      });
    },
  };
}

/** What stays when a link leads to the same list, narrowed otherwise. */
const OF_THE_TABLE = ['columns', 'saved', 'sort'];

/** The address of a link to the list of this page, with its columns, its order and its view. */
export function keepTable(href: string): string {
  const [path = '', query] = href.split('?');
  const next = new URLSearchParams(query);
  const now = new URLSearchParams(location.search);
  for (const name of OF_THE_TABLE) {
    const value = now.get(name);
    if (value !== null) next.set(name, value);
  }
  return next.size === 0 ? path : `${path}?${next.toString()}`;
}
