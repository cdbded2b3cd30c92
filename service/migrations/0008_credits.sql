-- How often a key may still be verified. A table of its own, so that taking a credit leaves the version of the key alone.
-- At the beginning of a day or a month (UTC) the key has "refill_amount" again; the first use of the period writes that.
create table credits (
  key_id text primary key references keys (id) on delete cascade,
  remaining integer not null check (remaining >= 0),
  refill_amount integer check (refill_amount > 0),
  refill_every text check (refill_every in ('day', 'month')),
  refilled_at timestamptz not null default now(),
  check ((refill_amount is null) = (refill_every is null))
);
