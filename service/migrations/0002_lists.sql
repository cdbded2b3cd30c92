-- The APIs of a workspace are listed in the order of their ids.
create index apis_of_workspace on apis (workspace_id, id);
--> statement-breakpoint
drop index apis_workspace;
