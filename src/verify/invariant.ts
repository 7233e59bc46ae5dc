/** An invariant of a live database: what it promises, and the statement that finds what breaks it. */
export type Invariant = { readonly name: string; readonly query: string };
