-- A parcel keeps the address that it left for, and a line is found by its id alone, as its barcode has it.

alter table shipment add column shipping_address jsonb;

-- A node of the version before ships without knowing of it.
create function shipment_has_address() returns trigger language plpgsql as $$
begin
  new.shipping_address := (select shipping_address from orders where id = new.order_id);
  return new;
end
$$;
create trigger shipment_has_address before insert on shipment
  for each row when (new.shipping_address is null) execute function shipment_has_address();

-- Where the address was changed after a parcel had left, what it was stands in the history alone, in one line of text: null.
update shipment s set shipping_address = o.shipping_address
from orders o
where o.id = s.order_id and not exists (
  select from order_history h where h.order_id = s.order_id and h.action = 'change_address' and h.created_at > s.shipped_at);

create index order_line_id on order_line (id);
