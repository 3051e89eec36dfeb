CREATE TABLE "host_key_looks" (
	"instance_id" integer PRIMARY KEY NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"looked_at" timestamp (3) with time zone NOT NULL,
	"next_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "host_keys" (
	"instance_id" integer NOT NULL,
	"type" text NOT NULL,
	"fingerprint" text NOT NULL,
	"public_key" text NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL,
	"replaced_at" timestamp (3) with time zone,
	CONSTRAINT "host_keys_instance_id_type_fingerprint_pk" PRIMARY KEY("instance_id","type","fingerprint")
);
--> statement-breakpoint
ALTER TABLE "host_key_looks" ADD CONSTRAINT "host_key_looks_instance_id_instances_id_fk" FOREIGN KEY ("instance_id") REFERENCES "public"."instances"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "host_keys" ADD CONSTRAINT "host_keys_instance_id_instances_id_fk" FOREIGN KEY ("instance_id") REFERENCES "public"."instances"("id") ON DELETE cascade ON UPDATE no action;