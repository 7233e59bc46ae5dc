import pg from 'pg';

/**
 * Moves the rows of one database into another that has the same schema, as a restore of a dump does: every table is
 * emptied and written anew, without triggers and without defaults.
 */
export async function copyRows(from: string, to: string): Promise<void> {
  const [source, target] = [new pg.Client(from), new pg.Client(to)];
  await Promise.all([source.connect(), target.connect()]);
  try {
    const { rows: tables } = await target.query<{ name: string }>(
      "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
    );
    await target.query('begin; set local session_replication_role = replica');
    await target.query(`truncate ${tables.map(({ name }) => name).join(', ')}`);
    for (const { name } of tables) {
      const { rows } = await source.query<{ all: string | null }>(
        `select json_agg(to_json(t))::text as all from ${name} t`,
      );
      const { rows: columns } = await target.query<{ list: string }>(
        `select string_agg(quote_ident(attname), ', ') as list from pg_attribute
         where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
        [name],
      );
      const list = columns[0]?.list ?? '';
      const text = `insert into ${name} (${list}) overriding system value select ${list} from json_populate_recordset(null::${name}, $1::json)`;
      await target.query(text, [rows[0]?.all ?? '[]']);
    }
    const { rows: sequences } = await source.query<{ name: string; last: string | null }>(
      "select quote_ident(sequencename) as name, last_value::text as last from pg_sequences where schemaname = 'public'",
    );
    for (const { name, last } of sequences) {
      if (last !== null) await target.query('select setval($1::regclass, $2::bigint)', [name, last]);
    }
    await target.query('commit');
  } finally {
    await Promise.all([source.end(), target.end()]);
  }
}
