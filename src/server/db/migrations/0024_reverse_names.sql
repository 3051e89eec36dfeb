CREATE TABLE "reverse_names" (
	"id" serial PRIMARY KEY NOT NULL,
	"cluster_id" integer,
	"address" "inet" NOT NULL,
	"name" varchar(253) NOT NULL,
	"instance_id" integer,
	"owner_id" integer,
	"hostname" varchar(253),
	"wanted" varchar(253),
	"state" text DEFAULT 'pending' NOT NULL,
	"wish" integer DEFAULT 1 NOT NULL,
	"reason" text,
	"tries" integer DEFAULT 0 NOT NULL,
	"next_at" timestamp (3) with time zone NOT NULL,
	"busy_until" timestamp (3) with time zone,
	CONSTRAINT "reverse_names_name_unique" UNIQUE("name"),
	CONSTRAINT "reverse_names_state" CHECK ("reverse_names"."state" in ('set', 'pending', 'failed')),
	CONSTRAINT "reverse_names_reason" CHECK (("reverse_names"."state" = 'failed') = ("reverse_names"."reason" is not null))
);
--> statement-breakpoint
ALTER TABLE "pools" ADD COLUMN "rdns_pattern" varchar(253);--> statement-breakpoint
ALTER TABLE "reverse_names" ADD CONSTRAINT "reverse_names_cluster_id_clusters_id_fk" FOREIGN KEY ("cluster_id") REFERENCES "public"."clusters"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reverse_names" ADD CONSTRAINT "reverse_names_instance_id_instances_id_fk" FOREIGN KEY ("instance_id") REFERENCES "public"."instances"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reverse_names" ADD CONSTRAINT "reverse_names_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "reverse_names_address" ON "reverse_names" USING btree ("cluster_id","address");--> statement-breakpoint
CREATE INDEX "reverse_names_instance" ON "reverse_names" USING btree ("instance_id");--> statement-breakpoint
CREATE INDEX "reverse_names_due" ON "reverse_names" USING btree ("next_at");