import { signedUrl } from '../artwork/signed-url.ts';
import { isoTime } from '../lib/clock.ts';
import type { Context } from '../lib/context.ts';
import { publicId } from '../lib/ids.ts';
import type { Brand } from './schema.ts';
import type { BrandRow } from './sql.ts';

/** A brand as its account sees it. */
export function brandView(ctx: Pick<Context, 'clock' | 'config' | 'secrets'>, row: BrandRow): Brand {
  const { secrets, config } = ctx;
  return {
    id: publicId('brand', row.id),
    name: row.name,
    message: row.message,
    support_email: row.support_email,
    website: row.website,
    return_lines: row.return_lines,
    logo_url: row.logo_hash === null ? null : signedUrl(secrets, config.baseUrl, row.logo_hash, ctx.clock.now()),
    is_default: row.is_default,
    status: row.archived_at === null ? 'active' : 'archived',
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}
