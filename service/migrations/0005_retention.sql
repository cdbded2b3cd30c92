-- The last entry of an audit chain that was moved into an archive: the chain in the table goes on after it.
alter table audit_heads add column archived_seq bigint not null default 0, add column archived_hash text not null default '';
--> statement-breakpoint
-- When a key was revoked, so that old records can be deleted. A trigger, so that no statement can forget it.
alter table keys add column revoked_at timestamptz;
--> statement-breakpoint
create function set_revoked_at() returns trigger language plpgsql as $$
begin
  new.revoked_at := now();
  return new;
end $$;
--> statement-breakpoint
create trigger keys_revoked_update before update of state on keys for each row
  when (new.state = 'revoked' and old.state <> 'revoked') execute function set_revoked_at();
--> statement-breakpoint
create trigger keys_revoked_insert before insert on keys for each row
  when (new.state = 'revoked') execute function set_revoked_at();
--> statement-breakpoint
update keys set revoked_at = now() where state = 'revoked';
