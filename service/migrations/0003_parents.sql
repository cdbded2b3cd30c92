-- The key that made a key. It has no foreign key: the deletion of a parent leaves its children, which then may do nothing.
alter table keys add column parent_id text;
