import { Button, Group, Text } from '@mantine/core';
import { type ReactNode, useRef, useState } from 'react';
import { useCommands } from '../commands/registry.ts';
import { useAddressState } from './address.ts';
import { Check } from './check.tsx';
import { chosenColumns, type Titled } from './columns.ts';
import { SortHead, SortLine, type Sorts, useSort } from './sort.tsx';

export type Column<Row> = Titled & {
  readonly cell: (row: Row) => ReactNode;
  /** Numbers stand to the right. */
  readonly isNumber?: boolean;
  /** Which orders of the list its head chooses from; one column has them. */
  readonly sorts?: Sorts;
};

export type Selected<Row> = { readonly rows: readonly Row[]; readonly clear: () => void };

/**
 * The one table: a page of rows at a time, `j` and `k` from row to row, `x` to select.
 * The first column has the link of its row, which is where the focus goes. The page, the order and the chosen columns
 * stand in the address; `TableMenus` chooses the columns, and the head of a column with `sorts` the order.
 */
export function Table<Row>({
  label,
  rows,
  idOf,
  nameOf,
  columns: all,
  nextCursor,
  isBusy,
  children,
}: {
  /** What the rows are, for a screen reader. */
  label: string;
  rows: readonly Row[];
  idOf: (row: Row) => string;
  /** What a person calls a row. */
  nameOf: (row: Row) => string;
  columns: readonly Column<Row>[];
  nextCursor: string | null;
  /** Whether another page is on its way. */
  isBusy: boolean;
  /** What can be done with the selected rows. */
  children: (selected: Selected<Row>) => ReactNode;
}) {
  const body = useRef<HTMLTableSectionElement>(null);
  const chosen = chosenColumns(all, useAddressState().get('columns'));
  // What was chosen is shown, however narrow the page is.
  const columns = chosen?.map((column) => ({ ...column, isMinor: false })) ?? all;
  const sortedBy = all.find(({ sorts }) => sorts !== undefined);
  const sort = useSort(sortedBy?.sorts);
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<string>>(new Set());
  const idsOf = (some: readonly Row[]): ReadonlySet<string> => new Set(some.map((row) => idOf(row)));
  const selected = rows.filter((row) => selectedIds.has(idOf(row)));
  const toggle = (row: Row): void => {
    const next = new Set(selectedIds);
    if (!next.delete(idOf(row))) next.add(idOf(row));
    setSelectedIds(next);
  };
  const go = (step: number): void => {
    const links = linksOf(body.current);
    const at = focusedRow(body.current);
    links[Math.min(Math.max(at + step, 0), links.length - 1)]?.focus();
  };
  useCommands([
    { id: 'next-row', label: 'Next row', group: label, keys: 'j', isKeyOnly: true, run: () => go(1) },
    { id: 'previous-row', label: 'Previous row', group: label, keys: 'k', isKeyOnly: true, run: () => go(-1) },
    {
      id: 'select-row',
      label: 'Select the row',
      group: label,
      keys: 'x',
      isKeyOnly: true,
      run: () => {
        const row = rows[focusedRow(body.current)];
        if (row !== undefined) toggle(row);
      },
    },
    { id: 'select-page', label: 'Select all of this page', group: label, run: () => setSelectedIds(idsOf(rows)) },
    ...(selected.length === 0
      ? []
      : [{ id: 'select-none', label: 'Select none', group: 'Selected', run: () => setSelectedIds(new Set<string>()) }]),
  ]);
  return (
    <div className="platen-table-frame" aria-busy={isBusy} data-chosen={chosen !== undefined || undefined}>
      {selected.length === 0 ? null : (
        <Group className="platen-selected" role="status" gap="sm">
          <Text size="sm" fw={600}>
            {selected.length} selected
          </Text>
          {children({ rows: selected, clear: () => setSelectedIds(new Set()) })}
        </Group>
      )}
      {sort === undefined || sortedBy === undefined ? null : (
        <SortLine
          sort={sort}
          when={
            columns.every(({ title }) => title !== sortedBy.title)
              ? 'always'
              : chosen === undefined
                ? 'narrow'
                : 'never'
          }
        />
      )}
      <table className="platen-table">
        <caption className="platen-unseen">{label}</caption>
        <thead>
          <tr>
            <th scope="col" className="platen-check">
              <Check
                label="Select all of this page"
                isChecked={rows.length > 0 && selected.length === rows.length}
                isMixed={selected.length > 0 && selected.length < rows.length}
                onChange={(isChecked) => setSelectedIds(idsOf(isChecked ? rows : []))}
              />
            </th>
            {columns.map((column) => (
              <SortHead
                key={column.title}
                className={classOf(column)}
                sort={column.title === sortedBy?.title ? sort : undefined}
              >
                {column.title}
              </SortHead>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.map((row) => (
            <tr key={idOf(row)} data-selected={selectedIds.has(idOf(row)) || undefined}>
              <td className="platen-check">
                <Check
                  label={`Select ${nameOf(row)}`}
                  isChecked={selectedIds.has(idOf(row))}
                  onChange={() => toggle(row)}
                />
              </td>
              {columns.map((column) => (
                <td key={column.title} className={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <Pages label={label} nextCursor={nextCursor} />
    </div>
  );
}

/** The steps to the next page and back to the first, which stand in the address. */
export function Pages({ label, nextCursor }: { label: string; nextCursor: string | null }) {
  const { get, set } = useAddressState();
  const isFirst = get('cursor') === undefined;
  useCommands([
    ...(nextCursor === null
      ? []
      : [{ id: 'next-page', label: 'Next page', group: 'List', keys: 'n', run: () => set({ cursor: nextCursor }) }]),
    ...(isFirst
      ? []
      : [{ id: 'first-page', label: 'First page', group: 'List', keys: 'p', run: () => set({ cursor: undefined }) }]),
  ]);
  if (isFirst && nextCursor === null) return null;
  return (
    <Group className="platen-pages" component="nav" aria-label={`Pages: ${label}`} gap="sm" justify="flex-end">
      <Button variant="default" disabled={isFirst} onClick={() => set({ cursor: undefined })}>
        First page
      </Button>
      <Button variant="default" disabled={nextCursor === null} onClick={() => set({ cursor: nextCursor ?? undefined })}>
        Next page
      </Button>
    </Group>
  );
}

function classOf<Row>({ isNumber, isMinor }: Column<Row>): string {
  return [isNumber === true ? 'platen-number-column' : '', isMinor === true ? 'platen-minor' : ''].join(' ').trim();
}

function linksOf(body: HTMLTableSectionElement | null): HTMLElement[] {
  return [...(body?.rows ?? [])].flatMap((row) => row.querySelector<HTMLElement>('a') ?? []);
}

/** The place of the row that has the focus; -1 when none has. */
function focusedRow(body: HTMLElement | null): number {
  return [...(body?.children ?? [])].findIndex((row) => row.contains(document.activeElement));
}
