-- runs in steps
-- Direct debits that were accepted are read again for two weeks (payments/sweep.ts), by `look_at`, which the sweep
-- of charges leaves alone once an attempt has ended. `infinity`: not again.
create index concurrently if not exists payment_attempt_watched on payment_attempt (look_at)
  where state = 'succeeded' and method = 'direct_debit' and returned_at is null;
