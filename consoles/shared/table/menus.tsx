import { Button, Group, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useCommands } from '../commands/registry.ts';
import { useAddressState } from './address.ts';
import { chosenColumns, columnName, type Titled } from './columns.ts';
import type { ViewPage } from './view-state.ts';
import { Views } from './views.tsx';
import { WITHIN } from './within.ts';

/** As in styles.css, where minor columns are left out below it. */
const NARROW = '(width <= 48em)';

/** The menus of a table: which columns it shows, and the saved views. They stay where a list is empty. */
export function TableMenus({
  page,
  columns,
}: {
  /** The list, as its views are kept under. */
  page: ViewPage;
  /** The columns of the table, in their order. */
  columns: readonly Titled[];
}) {
  return (
    <Group gap="xs" wrap="nowrap" className="platen-menus">
      <Columns columns={columns} />
      <Views page={page} />
    </Group>
  );
}

function Columns({ columns }: { columns: readonly Titled[] }) {
  const { get, set } = useAddressState();
  const byItself = columns.filter(({ isMinor }) => isMinor !== true || !matchMedia(NARROW).matches);
  const shown = chosenColumns(columns, get('columns')) ?? byItself;
  // What the page shows by itself needs no place in the address; the page of the list stays.
  const show = (next: readonly Titled[]): void =>
    set({
      columns:
        next.length === byItself.length && next.every((each) => byItself.includes(each)) ? undefined : namesOf(next),
      cursor: get('cursor'),
    });
  const toggle = (column: Titled): void =>
    show(columns.filter((each) => (each === column ? !shown.includes(each) : shown.includes(each))));
  useCommands([
    ...columns.slice(1).map((column) => ({
      id: `column-${columnName(column)}`,
      label: `${shown.includes(column) ? 'Leave out' : 'Show'} the column: ${column.title}`,
      group: 'Columns',
      run: () => toggle(column),
    })),
    { id: 'columns', label: 'Columns as the page has them', group: 'Columns', run: () => show(byItself) },
  ]);
  return (
    <Menu {...WITHIN} closeOnItemClick={false}>
      <Menu.Target>
        <Button size="compact-sm" variant="default" rightSection={<IconChevronDown size={14} aria-hidden />}>
          Columns
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Beside {columns[0]?.title}</Menu.Label>
        {columns.slice(1).map((column) => (
          <Menu.CheckboxItem key={column.title} checked={shown.includes(column)} onChange={() => toggle(column)}>
            {column.title}
          </Menu.CheckboxItem>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => show(byItself)}>As the page has them</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function namesOf(columns: readonly Titled[]): string {
  return columns.map(columnName).join(',');
}
