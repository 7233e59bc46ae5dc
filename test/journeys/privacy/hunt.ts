import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../../src/lib/db.ts';

// A hunt for strings: through every column of every table, as text, and through every file of a folder.

type Place = { readonly table: string; readonly column: string };

/** Where a text stands in the database: `table.column`, each once. */
export async function huntInDatabase(database: Database, mark: string): Promise<string[]> {
  const columns = await database.all<Place>(
    {
      name: 'hunt_columns',
      text: `select table_name::text as table, column_name::text as column from information_schema.columns
             where table_schema = 'public' order by 1, 2`,
    },
    [],
  );
  assert.ok(columns.length > 400, 'every column is looked at');
  const found: string[] = [];
  for (const { table, column } of columns) {
    const row = await database.one<{ hits: number }>(
      {
        name: `hunt_${table}_${column}`.slice(0, 60),
        text: `select count(*)::integer as hits from "${table}" where "${column}"::text ilike $1`,
      },
      [`%${mark}%`],
    );
    if ((row?.hits ?? 0) > 0) found.push(`${table}.${column}`);
  }
  return found;
}

/** The files of a folder, and of all folders in it, that have one of some byte sequences. */
export async function huntInFiles(folder: string, marks: readonly (string | Buffer)[]): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    if (marks.some((mark) => bytes.includes(mark))) found.push(path);
  }
  return found;
}
