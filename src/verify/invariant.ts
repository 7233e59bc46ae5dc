/** An invariant of a live database: its name, and the statement that finds violations. */
export type Invariant = { readonly name: string; readonly query: string };
