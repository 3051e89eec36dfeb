CREATE TABLE "server_keys" (
	"instance_id" integer NOT NULL,
	"fingerprint" text NOT NULL,
	"public_key" text NOT NULL,
	CONSTRAINT "server_keys_instance_id_fingerprint_pk" PRIMARY KEY("instance_id","fingerprint")
);
--> statement-breakpoint
CREATE TABLE "ssh_keys" (
	"id" serial PRIMARY KEY NOT NULL,
	"user_id" integer NOT NULL,
	"name" varchar(60) NOT NULL,
	"type" text NOT NULL,
	"public_key" text NOT NULL,
	"fingerprint" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ssh_keys_once" UNIQUE("user_id","fingerprint")
);
--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "setup" jsonb;--> statement-breakpoint
ALTER TABLE "instances" ADD COLUMN "label" varchar(60);--> statement-breakpoint
ALTER TABLE "instances" ADD COLUMN "hostname" varchar(63);--> statement-breakpoint
ALTER TABLE "instances" ADD COLUMN "notes" text;--> statement-breakpoint
ALTER TABLE "server_keys" ADD CONSTRAINT "server_keys_instance_id_instances_id_fk" FOREIGN KEY ("instance_id") REFERENCES "public"."instances"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ssh_keys" ADD CONSTRAINT "ssh_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "server_keys_fingerprint" ON "server_keys" USING btree ("fingerprint");--> statement-breakpoint
CREATE UNIQUE INDEX "instances_hostname" ON "instances" USING btree ("owner_id","hostname") WHERE "instances"."owner_id" is not null and "instances"."hostname" is not null;