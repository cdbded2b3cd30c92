-- "old_hash" is that of the secret before the present one, which works until "old_until". A new secret has the prefix of
-- the old one. "external_id" and "meta" are the owner's own: nothing is decided on them.
alter table keys
  add column old_hash text check (length(old_hash) = 64),
  add column old_until timestamptz,
  add column external_id text,
  add column meta json;
