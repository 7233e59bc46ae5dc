-- runs in steps
-- Replays that were cancelled while attempts of theirs were under way: these are counted once they have ended.
create index concurrently if not exists webhook_replay_leaving on webhook_replay (id)
  where state = 'cancelled' and open_deliveries <> '{}';
