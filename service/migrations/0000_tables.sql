-- Accounts, and what is in them. Ids and counts of other accounts are out of reach by construction: what belongs to an
-- API or a workspace names the account too, and the two must agree.
create table accounts (
  id text primary key,
  plan text not null check (plan in ('free', 'pro', 'enterprise')),
  status text not null check (status in ('active', 'past_due', 'suspended')),
  limit_apis integer not null check (limit_apis >= 0),
  limit_keys integer not null check (limit_keys >= 0),
  used_apis integer not null default 0 check (used_apis >= 0),
  used_keys integer not null default 0 check (used_keys >= 0),
  holds text[] not null default '{}',
  created_at timestamptz not null default now()
);
--> statement-breakpoint
create table workspaces (
  id text primary key,
  account_id text not null references accounts (id),
  name text not null,
  environment text not null check (environment in ('development', 'production')),
  state text not null default 'active' check (state in ('active', 'suspended')),
  created_at timestamptz not null default now(),
  constraint workspaces_name unique (account_id, name),
  unique (id, account_id)
);
--> statement-breakpoint
create table apis (
  id text primary key,
  account_id text not null,
  workspace_id text not null,
  name text not null,
  system boolean not null default false,
  delete_protection boolean not null default false,
  state text not null default 'draft' check (state in ('draft', 'active', 'suspended', 'deleting')),
  key_count integer not null default 0 check (key_count >= 0),
  created_at timestamptz not null default now(),
  foreign key (workspace_id, account_id) references workspaces (id, account_id),
  unique (id, account_id)
);
--> statement-breakpoint
create index apis_workspace on apis (workspace_id);
--> statement-breakpoint
-- "hash" is the SHA-256 of the secret, which is nowhere; "prefix" is the part of it that finds the row.
create table keys (
  id text primary key,
  position bigint generated always as identity,
  account_id text not null,
  api_id text not null,
  name text not null,
  prefix text not null check (length(prefix) = 16),
  hash text not null check (length(hash) = 64),
  roles text[] not null check (roles <@ array['viewer', 'editor', 'admin', 'custom'] and cardinality(roles) > 0),
  permissions text[] not null,
  workspace_ids text[] not null,
  state text not null default 'enabled' check (state in ('enabled', 'disabled', 'revoked')),
  system boolean not null default false,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  constraint keys_prefix unique (prefix),
  foreign key (api_id, account_id) references apis (id, account_id) on delete cascade
);
--> statement-breakpoint
create index keys_api on keys (api_id, position);
