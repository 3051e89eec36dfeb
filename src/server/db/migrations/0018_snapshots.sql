CREATE TABLE "snapshots" (
	"id" serial PRIMARY KEY NOT NULL,
	"instance_id" integer NOT NULL,
	"name" varchar(60) NOT NULL,
	"vm_snapshot" varchar(40) NOT NULL,
	"state" text DEFAULT 'creating' NOT NULL,
	"os_type" varchar(100) NOT NULL,
	"template_id" integer,
	"username" varchar(100) NOT NULL,
	"login_mark" text NOT NULL,
	"volume" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"taken_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"tried_at" timestamp (3) with time zone,
	CONSTRAINT "snapshots_vm_snapshot" UNIQUE("instance_id","vm_snapshot"),
	CONSTRAINT "snapshots_state" CHECK ("snapshots"."state" in ('creating', 'ready', 'deleting')),
	CONSTRAINT "snapshots_taken" CHECK ("snapshots"."state" = 'creating' or "snapshots"."taken_at" is not null)
);
--> statement-breakpoint
ALTER TABLE "packages" ADD COLUMN "snapshot_quota" integer DEFAULT 2 NOT NULL;--> statement-breakpoint
ALTER TABLE "packages" ADD COLUMN "snapshot_days" integer DEFAULT 7 NOT NULL;--> statement-breakpoint
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_instance_id_instances_id_fk" FOREIGN KEY ("instance_id") REFERENCES "public"."instances"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_template_id_templates_id_fk" FOREIGN KEY ("template_id") REFERENCES "public"."templates"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "snapshots_expire" ON "snapshots" USING btree ("expires_at");--> statement-breakpoint
ALTER TABLE "packages" ADD CONSTRAINT "packages_snapshot_quota" CHECK ("packages"."snapshot_quota" between 0 and 20);--> statement-breakpoint
ALTER TABLE "packages" ADD CONSTRAINT "packages_snapshot_days" CHECK ("packages"."snapshot_days" between 1 and 10);