-- runs in steps
-- What an erasure reads of an account, off an index each, of tables and states that placing does not write.
create index concurrently if not exists oauth_record_of_account on oauth_record (account_id) where account_id is not null;
create index concurrently if not exists oauth_client_of_account on oauth_client (account_id, id);
create index concurrently if not exists ops_task_of_account on ops_task (account_id) where order_id is null;
create index concurrently if not exists webhook_delivery_said on webhook_delivery (account_id, id) where error is not null;
-- Orders that may have been zero-rated because they leave the country, by their tax point: by what they were charged by, which
-- placing writes from now on, and where the version before has placed them by their address. A British postcode that has a J
-- before an E, a G before a Y, or another script, may be of Jersey or Guernsey, however it is written: `GB-JE2 4WD`.
create index concurrently if not exists orders_charged_abroad on orders (paid_at, id)
  where vat_pence = 0 and source <> 'replacement' and case when vat_territory is null
    then (shipping_address ->> 'country_code') not in ('GB', 'IM')
      or ((shipping_address ->> 'country_code') = 'GB' and ((shipping_address ->> 'postcode') collate "C") ~* 'j.*e|g.*y|[^ -~]')
    else vat_territory not in ('gb', 'ni', 'im') end;
-- The search begins anew, and finds what it has passed.
update retention_walk set place = null where name = 'exports';
