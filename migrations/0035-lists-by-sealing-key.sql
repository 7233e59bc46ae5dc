-- runs in steps
-- What each key seals: counted, found to be sealed anew, and looked for at a start.
create index concurrently if not exists webhook_subscription_sealed on webhook_subscription (secret_sealed_with, id);
create index concurrently if not exists oauth_record_sealed on oauth_record (sealed_with, expires_at);
