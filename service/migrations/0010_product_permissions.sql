-- Permissions in the owner's product: keys.verifyKey looks them up, and no policy reads them.
alter table keys add column product_permissions text[] not null default '{}';
--> statement-breakpoint
drop trigger keys_changed on keys;
--> statement-breakpoint
create trigger keys_changed after delete or update of
    api_id, parent_id, name, hash, old_hash, old_until, external_id, meta, roles, permissions, product_permissions,
    workspace_ids, state, system, expires_at
  on keys for each row execute function notify_of_change();
