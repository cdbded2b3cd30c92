-- The answers of creates that had an Idempotency-Key, for a day: "token" is the SHA-256 of that key, "request" of the
-- operation and its input. "sealed" is encrypted with a key that is derived from the caller's secret, which is nowhere.
create table answers (
  key_id text not null references keys (id) on delete cascade,
  token text not null check (length(token) = 64),
  request text not null check (length(request) = 64),
  sealed text not null,
  expires_at timestamptz not null default now() + interval '24 hours',
  primary key (key_id, token)
);
--> statement-breakpoint
create index answers_expired on answers (expires_at);
