import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useCommands } from '../commands/registry.ts';
import { useAddressState } from './address.ts';

/** Where the order of a list stands in the address; nothing is the one that the page has by itself. */
const SORT = 'sort';

type SortChoice = {
  /** As the operation names it. */
  readonly value: string;
  /** What comes first: "Newest first". */
  readonly label: string;
  readonly direction: 'ascending' | 'descending';
};

/** The two orders of a list by a column: the one that the page has by itself, and the other. */
export type Sorts = readonly [byItself: SortChoice, other: SortChoice];

type ChosenSort = { readonly now: SortChoice; readonly next: SortChoice; readonly change: () => void };

/**
 * The order of a list as the address has it, with a command that turns it round.
 * Another order is another list: its first page is shown, and the browser goes back to the one before.
 */
export function useSort(sorts: Sorts | undefined): ChosenSort | undefined {
  const { get, set } = useAddressState();
  const [byItself, other] = sorts ?? [];
  const isTurned = other !== undefined && get(SORT) === other.value;
  const [now, next] = isTurned ? [other, byItself] : [byItself, other];
  const change = (): void => set({ [SORT]: next === byItself ? undefined : next?.value });
  useCommands(next === undefined ? [] : [{ id: 'sort', label: next.label, group: 'List', run: change }]);
  return now === undefined || next === undefined ? undefined : { now, next, change };
}

/** The head of a column; with an order it is a button that turns it round. */
export function SortHead({
  sort,
  className,
  children,
}: {
  sort: ChosenSort | undefined;
  className: string;
  children: ReactNode;
}) {
  if (sort === undefined) {
    return (
      <th scope="col" className={className}>
        {children}
      </th>
    );
  }
  return (
    <th scope="col" className={className} aria-sort={sort.now.direction}>
      <SortButton sort={sort}>{children}</SortButton>
    </th>
  );
}

/** The same button above the table, where the head of the column is not shown. */
export function SortLine({ sort, when }: { sort: ChosenSort; when: 'always' | 'narrow' | 'never' }) {
  if (when === 'never') return null;
  return (
    <div className="platen-sort-line" data-when={when}>
      <SortButton sort={sort}>{sort.now.label}</SortButton>
    </div>
  );
}

function SortButton({ sort: { now, next, change }, children }: { sort: ChosenSort; children: ReactNode }) {
  const Arrow = now.direction === 'ascending' ? IconArrowUp : IconArrowDown;
  return (
    <button
      type="button"
      className="platen-sort"
      title={`${now.label}. Press for: ${next.label.toLowerCase()}`}
      onClick={change}
    >
      {children}
      <Arrow size={14} stroke={2} aria-hidden />
    </button>
  );
}
