-- What GET /events is filtered by. The index event_log serves the log as a whole.

-- One order's events; and the constraint behind `sequence`, which every move of an order counts up under the order's lock.
create unique index event_order on event (order_id, sequence) where order_id is not null;

-- The events of a name, each name a range of its own: a rare one is found without walking over the frequent ones.
create index event_named on event (account_id, event, transaction_id, id);
