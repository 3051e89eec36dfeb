CREATE TABLE "backups" (
	"id" serial PRIMARY KEY NOT NULL,
	"instance_id" integer NOT NULL,
	"name" varchar(60) NOT NULL,
	"key" varchar(40) NOT NULL,
	"state" text DEFAULT 'creating' NOT NULL,
	"storage" varchar(60) NOT NULL,
	"volume" text,
	"size_bytes" bigint,
	"is_protected" boolean DEFAULT false NOT NULL,
	"os_type" varchar(100) NOT NULL,
	"template_id" integer,
	"username" varchar(100) NOT NULL,
	"login_mark" text NOT NULL,
	"turn" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"taken_at" timestamp (3) with time zone,
	CONSTRAINT "backups_key" UNIQUE("key"),
	CONSTRAINT "backups_turn" UNIQUE("turn"),
	CONSTRAINT "backups_state" CHECK ("backups"."state" in ('creating', 'ready', 'deleting')),
	CONSTRAINT "backups_taken" CHECK ("backups"."state" = 'creating' or "backups"."taken_at" is not null)
);
--> statement-breakpoint
ALTER TABLE "packages" ADD COLUMN "backup_limit" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "backups" ADD CONSTRAINT "backups_instance_id_instances_id_fk" FOREIGN KEY ("instance_id") REFERENCES "public"."instances"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "backups" ADD CONSTRAINT "backups_template_id_templates_id_fk" FOREIGN KEY ("template_id") REFERENCES "public"."templates"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "backups_instance" ON "backups" USING btree ("instance_id");--> statement-breakpoint
ALTER TABLE "packages" ADD CONSTRAINT "packages_backup_limit" CHECK ("packages"."backup_limit" between 0 and 30);