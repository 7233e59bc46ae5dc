-- runs in steps
-- What the walks of retention read, each in the order of time.
create index concurrently if not exists print_file_created on print_file (created_at, key);
-- The state is an expression, so that the lists of one account are not read off this index.
create index concurrently if not exists orders_ended on orders ((state || ''), updated_at, id)
  where state in ('awaiting_payment', 'dispatched', 'delivered', 'cancelled');
create index concurrently if not exists job_failed on job (failed_at, id) where failed_at is not null;
create index concurrently if not exists ops_task_closed on ops_task (closed_at, id) where closed_at is not null;
create index concurrently if not exists access_token_revoked on access_token (revoked_at, id) where revoked_at is not null;
create index concurrently if not exists oauth_grant_revoked on oauth_grant (revoked_at, id) where revoked_at is not null;
create index concurrently if not exists operator_token_revoked on operator_token (revoked_at, id) where revoked_at is not null;
-- Orders that may have been zero-rated because they leave the country, by their tax point. Jersey and Guernsey are often
-- written as GB.
create index concurrently if not exists orders_exported on orders (paid_at, id)
  where vat_pence = 0 and source <> 'replacement' and ((shipping_address ->> 'country_code') not in ('GB', 'IM')
    or upper(left(shipping_address ->> 'postcode', 2)) in ('JE', 'GY'));
