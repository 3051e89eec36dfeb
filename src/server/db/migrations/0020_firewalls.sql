CREATE TABLE "firewalls" (
	"instance_id" integer PRIMARY KEY NOT NULL,
	"is_kept" boolean DEFAULT false NOT NULL,
	"is_mail_open" boolean DEFAULT false NOT NULL,
	"faults" jsonb DEFAULT '["unchecked"]'::jsonb NOT NULL,
	"checked_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "firewalls" ADD CONSTRAINT "firewalls_instance_id_instances_id_fk" FOREIGN KEY ("instance_id") REFERENCES "public"."instances"("id") ON DELETE cascade ON UPDATE no action;