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
