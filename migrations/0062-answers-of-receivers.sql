-- What developers look for when deliveries fail. The beginning of the answer to the last attempt of a delivery, where that
-- was a failure; and since when the attempts of a subscription have failed, one after the other.
alter table webhook_delivery add column answer text;
alter table webhook_subscription add column failing_since timestamptz;
