-- Why a delivery was made: by its event, by hand, or by a replay. The version before makes those of events alone.
alter table webhook_delivery add column kind text not null default 'event';
alter table webhook_delivery add constraint webhook_delivery_kind_check
  check (kind in ('event', 'redelivery', 'replay')) not valid;
