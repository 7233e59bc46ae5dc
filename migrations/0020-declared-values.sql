-- What the consumer paid for one piece, for customs. Null: the piece is declared at what was charged for it.
alter table order_line add column declared_unit_pence bigint check (declared_unit_pence > 0);
