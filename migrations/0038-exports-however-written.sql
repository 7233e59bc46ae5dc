-- runs in steps
-- Orders that may have been zero-rated because they leave the country, by their tax point. A British postcode that has a
-- J before an E, a G before a Y, or another script, may be of Jersey or Guernsey, however it is written: `GB-JE2 4WD`.
create index concurrently if not exists orders_zero_rated on orders (paid_at, id)
  where vat_pence = 0 and source <> 'replacement' and (shipping_address ->> 'country_code') <> 'IM'
    and ((shipping_address ->> 'country_code') <> 'GB'
      or ((shipping_address ->> 'postcode') collate "C") ~* 'j.*e|g.*y|[^ -~]');
-- The search begins anew, and finds what it has passed.
update retention_walk set place = null where name = 'exports';
