-- How many workspaces an account may have, and how many it has.
alter table accounts
  add column limit_workspaces integer not null default 100 check (limit_workspaces >= 0),
  add column used_workspaces integer not null default 0 check (used_workspaces >= 0);
--> statement-breakpoint
update accounts set used_workspaces = (select count(*) from workspaces where workspaces.account_id = accounts.id);
