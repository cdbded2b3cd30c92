-- What was changed, and what was refused, in a chain for each account: "hash" is the SHA-256 of the hash before it, the
-- account, the number and the entry, each but the last followed by a line feed. audit_heads has the end of each chain.
create table audit_heads (
  account_id text primary key references accounts (id),
  seq bigint not null default 0,
  hash text not null default ''
);
--> statement-breakpoint
create table audit (
  account_id text not null references accounts (id),
  seq bigint not null,
  entry text not null,
  hash text not null check (length(hash) = 64),
  primary key (account_id, seq)
);
--> statement-breakpoint
insert into audit_heads (account_id) select id from accounts;
--> statement-breakpoint
-- For the question whether an account has another key that administers it.
create index keys_admins on keys (account_id) where state = 'enabled' and 'admin' = any (roles);
