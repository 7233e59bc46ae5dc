-- Withdrawing access: what is suspended, disabled, removed or rotated says so in one row, and every look-up of a token,
-- session or app reads that row. So withdrawing is one short write, whatever was issued before.

-- Why an account is suspended, for operators; null while it is not.
alter table account add column suspended_reason text;

-- A disabled person cannot sign in. Sessions and grants of theirs were ended at that moment, and stay ended.
alter table account_user add column disabled_at timestamptz;

-- An app that is removed keeps its row, which grants and tokens refer to. Each rotation of the secret raises the version,
-- and an access token is good only with the version that its app had when it asked for it. Null in a token counts as 0.
alter table oauth_client
  add column secret_version integer not null default 0,
  add column rotated_at timestamptz,
  add column removed_at timestamptz;
alter table access_token
  add column secret_version integer,
  add column last_used_at timestamptz;
alter table operator_token add column last_used_at timestamptz;

-- The name of a session for operators: its key is the hash of a cookie. Null for other records.
alter table oauth_record add column id uuid;

-- Commands are in the audit log too. They have no operator; their detail names the user of the machine.
alter table operator_action alter column operator_id drop not null;
