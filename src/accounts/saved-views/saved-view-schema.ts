import { oneOf, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';

/** The lists of the portal that have views. */
export const VIEW_PAGES = [
  'orders',
  'shop-orders',
  'problems',
  'statement',
  'documents',
  'top-ups',
  'products',
  'templates',
  'order-files',
  'events',
  'requests',
  'deliveries',
] as const;

const NAME_MAX = 60;
const FILTERS_MAX = 1_000;
const PAIRS_MAX = 20;
const COLUMNS_MAX = 30;
/** A name of a filter or of a column. */
const WORD = '[a-z][a-z0-9_-]{0,39}';
/** What a browser makes of a form: nothing but ASCII, the rest in percent signs. */
const PAIR = `${WORD}=([A-Za-z0-9*._+-]|%[0-9A-Fa-f]{2})*`;

const Page = oneOf(VIEW_PAGES, { description: 'The list that it is of.' });

const MEMBERS = {
  name: Type.String({
    minLength: 1,
    maxLength: NAME_MAX,
    pattern: '^[^\\r\\n]*[^\\s][^\\r\\n]*$',
    description: 'No two views of a page have the same among the own, or among those for all, whatever its case.',
    'x-message': `must be one line of 1 to ${NAME_MAX} characters that is not blank.`,
  }),
  filters: Type.String({
    maxLength: FILTERS_MAX,
    pattern: `^(${PAIR}(&${PAIR}){0,${PAIRS_MAX - 1}})?$`,
    description: 'What the list is narrowed by, as the query of its address without `?`; "" is nothing.',
    'x-message': `must be a query such as status=pending, of at most ${FILTERS_MAX} characters and ${PAIRS_MAX} filters, with all but letters, digits and *-._ in percent signs.`,
  }),
  columns: Type.Array(
    Type.String({
      pattern: `^${WORD}$`,
      'x-message': 'must be the name of a column: a letter, then up to 39 letters, digits, hyphens and underscores.',
    }),
    {
      maxItems: COLUMNS_MAX,
      uniqueItems: true,
      description: 'The columns that are shown; none stands for those that the page shows by itself.',
    },
  ),
  is_for_all: Type.Boolean({
    description: 'Whether everyone of the account has it. Only owners and managers make and change such views.',
  }),
};

/** A list as a person has narrowed it. */
export const SavedView = Type.Object(
  {
    id: Type.String(),
    page: Page,
    name: Type.String(),
    filters: Type.String(),
    columns: Type.Array(Type.String()),
    is_for_all: Type.Boolean(),
    may_change: Type.Boolean({ description: 'Whether the caller may change and delete it.' }),
    updated_at: Timestamp,
  },
  { title: 'SavedView' },
);
export type SavedView = Static<typeof SavedView>;

export const SavedViews = Type.Object(
  {
    data: Type.Array(SavedView, { description: 'The own ones, then those for all; each by their names.' }),
    may_share: Type.Boolean({ description: 'Whether the caller may make views for all.' }),
  },
  { title: 'SavedViews' },
);
export type SavedViews = Static<typeof SavedViews>;

export const ListSavedViewsQuery = Type.Object({ page: Page });

export const SavedViewParams = Type.Object({ id: Type.String({ description: 'The id of a view, view_….' }) });

/** The body of `POST /views`. */
export const SaveViewBody = Type.Object(
  {
    page: Page,
    name: MEMBERS.name,
    filters: MEMBERS.filters,
    columns: MEMBERS.columns,
    is_for_all: Type.Optional(MEMBERS.is_for_all),
  },
  { title: 'SaveViewRequest' },
);
export type SaveViewBody = Static<typeof SaveViewBody>;

/** The body of `PATCH /views/{id}`: what is sent changes. */
export const ChangeSavedViewBody = Type.Object(
  {
    name: Type.Optional(MEMBERS.name),
    filters: Type.Optional(MEMBERS.filters),
    columns: Type.Optional(MEMBERS.columns),
    is_for_all: Type.Optional(MEMBERS.is_for_all),
  },
  { title: 'ChangeSavedViewRequest' },
);
export type ChangeSavedViewBody = Static<typeof ChangeSavedViewBody>;
