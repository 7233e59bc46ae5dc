-- Null as in the earlier tables of sealed values: the key is to be found out. Each start of a worker asks that of what no key opened,
-- and all sealing anew would end at the first such value.
alter table webhook_next_secret alter column secret_sealed_with drop not null;
alter table mail_content alter column sealed_with drop not null;
alter table second_factor alter column sealed_with drop not null;
