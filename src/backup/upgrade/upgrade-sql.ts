// Statements of two connections, each to a server of its own.

/** All of one moment. */
export const SNAPSHOT = 'begin isolation level repeatable read read only';

/** No trigger fires, and no reference is checked: each row was checked when it was written first. */
export const LOAD = 'begin; set local session_replication_role = replica';

export const TABLES_TO_COPY = `
  select quote_ident(c.relname) as name, pg_table_size(c.oid)::float8 as bytes, (
    select string_agg(quote_ident(a.attname), ', ' order by a.attname) from pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  ) as columns
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by c.relname`;

export const SEQUENCES = `
  select quote_ident(sequencename) as name, last_value::text as last from pg_sequences where schemaname = 'public'`;

export const SET_SEQUENCE = 'select setval($1::regclass, $2::bigint)';

/** A digest of all rows, whatever their order: the sum of a part of the digest of each. */
export const digestOfRows = (name: string, columns: string): string => `
  select count(*)::text as rows,
    coalesce(sum(('x' || substr(md5(row(${columns})::text), 1, 15))::bit(60)::bigint), 0)::text as digest from ${name}`;

export const DATABASE_SIZE = 'select pg_database_size(current_database())::float8 as bytes';
