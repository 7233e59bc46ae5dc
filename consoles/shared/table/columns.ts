/** What a column needs to be chosen by. */
export type Titled = {
  readonly title: string;
  /** Left out where the page is narrow. */
  readonly isMinor?: boolean;
};

/** The name of a column in an address: `blocked-by`. */
export function columnName({ title }: Titled): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

/**
 * The columns that an address chooses, in the order of the page; the first one always stays.
 * Undefined when it chooses none that the page has.
 */
export function chosenColumns<Column extends Titled>(
  columns: readonly Column[],
  chosen: string | undefined,
): readonly Column[] | undefined {
  const names = new Set(chosen?.split(','));
  if (!columns.some((column) => names.has(columnName(column)))) return undefined;
  return columns.filter((column, at) => at === 0 || names.has(columnName(column)));
}
