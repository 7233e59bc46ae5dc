-- runs in steps
-- What the lists of tokens, sessions and grants of an account or app read, and what ends those of a person.
create index concurrently if not exists access_token_personal on access_token (account_id, id) where client_id is null;
create index concurrently if not exists oauth_grant_of_account on oauth_grant (account_id, id) where revoked_at is null;
create index concurrently if not exists oauth_grant_of_user on oauth_grant (account_id, user_id) where revoked_at is null;
create index concurrently if not exists oauth_grant_of_client on oauth_grant (client_id, id) where revoked_at is null;
create index concurrently if not exists oauth_record_session on oauth_record (account_id, id) where kind = 'session';
create index concurrently if not exists oauth_record_session_id on oauth_record (id) where kind = 'session';
create index concurrently if not exists oauth_record_signed_in on oauth_record (account_id, user_id) where kind in ('session', 'interaction');
