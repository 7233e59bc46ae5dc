import type { Context } from '../lib/context.ts';
import { isInUse } from '../privacy/erase/blob-sql.ts';
import { findViolations, listBlobs } from './sql.ts';

export type VerifyReport = {
  readonly checks: readonly { readonly name: string; readonly violations: readonly string[] }[];
};

const VIOLATIONS_MAX = 100;

/**
 * Checks the invariants of a live database (operating, `platen verify`).
 * Covers books, orders, events, stock and stored bytes. It only reads. Each check is one statement, so what it sees is
 * of one moment.
 */
export async function verify(ctx: Pick<Context, 'database' | 'blobs'>): Promise<VerifyReport> {
  const checks = await ctx.database.transaction(findViolations);
  return { checks: [...checks, { name: 'no stored file is missing', violations: await missingBlobs(ctx) }] };
}

async function missingBlobs(ctx: Pick<Context, 'database' | 'blobs'>): Promise<string[]> {
  const missing: string[] = [];
  let after = '';
  for (;;) {
    const page = await listBlobs(ctx.database, after);
    for (const { hash } of page) {
      if (missing.length >= VIOLATIONS_MAX || (await ctx.blobs.has(hash))) continue;
      // An unused blob may have been deleted since the page was read, or since a dump that was restored.
      if (await isInUse(ctx.database, hash)) missing.push(`blob ${hash} has no file`);
    }
    const last = page.at(-1);
    if (last === undefined) return missing;
    after = last.hash;
  }
}
