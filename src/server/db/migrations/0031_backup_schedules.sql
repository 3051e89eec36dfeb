CREATE TABLE "backup_schedules" (
	"instance_id" integer PRIMARY KEY NOT NULL,
	"every" text NOT NULL,
	"from_hour" integer NOT NULL,
	"hours" integer NOT NULL,
	"weekday" text,
	"keep" integer NOT NULL,
	"changed_at" timestamp (3) with time zone NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"job_id" text,
	"tries" integer DEFAULT 0 NOT NULL,
	"failed_at" timestamp (3) with time zone,
	"failure" text,
	CONSTRAINT "backup_schedules_every" CHECK ("backup_schedules"."every" in ('day', 'week')),
	CONSTRAINT "backup_schedules_weekday" CHECK (("backup_schedules"."every" = 'week') = ("backup_schedules"."weekday" is not null)),
	CONSTRAINT "backup_schedules_window" CHECK ("backup_schedules"."from_hour" between 0 and 23 and "backup_schedules"."hours" between 1 and 24 and "backup_schedules"."keep" > 0),
	CONSTRAINT "backup_schedules_failed" CHECK (("backup_schedules"."failed_at" is null) = ("backup_schedules"."failure" is null))
);
--> statement-breakpoint
ALTER TABLE "backups" DROP CONSTRAINT "backups_instance_id_instances_id_fk";
--> statement-breakpoint
ALTER TABLE "backups" ALTER COLUMN "instance_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "packages" ADD COLUMN "last_backup" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "server_ends" ADD COLUMN "backup_tries" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "server_ends" ADD COLUMN "backup_tried_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "backups" ADD COLUMN "cluster_id" integer;--> statement-breakpoint
ALTER TABLE "backups" ADD COLUMN "vm_id" integer;--> statement-breakpoint
ALTER TABLE "backups" ADD COLUMN "origin" text DEFAULT 'hand' NOT NULL;--> statement-breakpoint
ALTER TABLE "backups" ADD COLUMN "tried_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "backups" ADD COLUMN "failure" text;--> statement-breakpoint
ALTER TABLE "backup_schedules" ADD CONSTRAINT "backup_schedules_instance_id_instances_id_fk" FOREIGN KEY ("instance_id") REFERENCES "public"."instances"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "backup_schedules_due" ON "backup_schedules" USING btree ("due_at");--> statement-breakpoint
ALTER TABLE "backups" ADD CONSTRAINT "backups_cluster_id_clusters_id_fk" FOREIGN KEY ("cluster_id") REFERENCES "public"."clusters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "backups" ADD CONSTRAINT "backups_instance_id_instances_id_fk" FOREIGN KEY ("instance_id") REFERENCES "public"."instances"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "backups_cluster" ON "backups" USING btree ("cluster_id");--> statement-breakpoint
ALTER TABLE "backups" ADD CONSTRAINT "backups_origin" CHECK ("backups"."origin" in ('hand', 'schedule', 'end'));--> statement-breakpoint
-- Backups made before their rows said where their archive is.
UPDATE "backups" SET "cluster_id" = "instances"."cluster_id", "vm_id" = "instances"."vm_id"
FROM "instances" WHERE "instances"."id" = "backups"."instance_id" AND "backups"."vm_id" IS NULL;
