-- Tells replicas that keep rows in memory that a key, or something that its powers or its state in force depend on, has
-- changed: the account is the payload. Rows that only count (usage, credits, key_count) are not told of, so creating a key
-- does not wait for the lock that the commit of a notice takes. A new administrator is told of: another key may not be
-- the last one any more.
create function notify_of_change() returns trigger language plpgsql as $$
declare
  changed jsonb := case when tg_op = 'INSERT' then to_jsonb(new) else to_jsonb(old) end;
begin
  perform pg_notify('keyward_changes', case when tg_table_name = 'accounts' then changed ->> 'id' else changed ->> 'account_id' end);
  return null;
end $$;
--> statement-breakpoint
create trigger keys_changed after delete or update of
    api_id, parent_id, name, hash, old_hash, old_until, external_id, meta, roles, permissions, workspace_ids, state, system,
    expires_at
  on keys for each row execute function notify_of_change();
--> statement-breakpoint
create trigger keys_admin_made after insert on keys for each row
  when ('admin' = any (new.roles)) execute function notify_of_change();
--> statement-breakpoint
create trigger apis_changed after update of state, system, workspace_id on apis
  for each row execute function notify_of_change();
--> statement-breakpoint
create trigger workspaces_changed after update of state, environment on workspaces
  for each row execute function notify_of_change();
--> statement-breakpoint
create trigger accounts_changed after update of plan, status, limit_apis, limit_keys, limit_workspaces, holds on accounts
  for each row execute function notify_of_change();
