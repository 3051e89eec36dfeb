CREATE TABLE "server_rates" (
	"instance_id" integer PRIMARY KEY NOT NULL,
	"rate_mbit" integer,
	"set_at" timestamp (3) with time zone,
	"attempt" integer DEFAULT 0 NOT NULL,
	"failed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "server_traffic" (
	"instance_id" integer PRIMARY KEY NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	"seen_uptime" integer NOT NULL,
	"seen_in" bigint DEFAULT 0 NOT NULL,
	"seen_out" bigint DEFAULT 0 NOT NULL,
	"period_from" timestamp (3) with time zone NOT NULL,
	"period_to" timestamp (3) with time zone NOT NULL,
	"in_bytes" bigint DEFAULT 0 NOT NULL,
	"out_bytes" bigint DEFAULT 0 NOT NULL,
	"noticed" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "server_traffic_positive" CHECK ("server_traffic"."in_bytes" >= 0 and "server_traffic"."out_bytes" >= 0),
	CONSTRAINT "server_traffic_noticed" CHECK ("server_traffic"."noticed" in (0, 80, 100))
);
--> statement-breakpoint
CREATE TABLE "traffic_days" (
	"instance_id" integer NOT NULL,
	"day" date NOT NULL,
	"in_bytes" bigint DEFAULT 0 NOT NULL,
	"out_bytes" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "traffic_days_instance_id_day_pk" PRIMARY KEY("instance_id","day")
);
--> statement-breakpoint
CREATE TABLE "traffic_gaps" (
	"id" serial PRIMARY KEY NOT NULL,
	"instance_id" integer NOT NULL,
	"from_at" timestamp (3) with time zone NOT NULL,
	"to_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "packages" ADD COLUMN "rate_mbit" integer;--> statement-breakpoint
ALTER TABLE "packages" ADD COLUMN "traffic_gb" integer;--> statement-breakpoint
ALTER TABLE "packages" ADD COLUMN "traffic_counts" text DEFAULT 'both' NOT NULL;--> statement-breakpoint
ALTER TABLE "packages" ADD COLUMN "slow_mbit" integer DEFAULT 10 NOT NULL;--> statement-breakpoint
ALTER TABLE "server_rates" ADD CONSTRAINT "server_rates_instance_id_instances_id_fk" FOREIGN KEY ("instance_id") REFERENCES "public"."instances"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "server_traffic" ADD CONSTRAINT "server_traffic_instance_id_instances_id_fk" FOREIGN KEY ("instance_id") REFERENCES "public"."instances"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "traffic_days" ADD CONSTRAINT "traffic_days_instance_id_instances_id_fk" FOREIGN KEY ("instance_id") REFERENCES "public"."instances"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "traffic_gaps" ADD CONSTRAINT "traffic_gaps_instance_id_instances_id_fk" FOREIGN KEY ("instance_id") REFERENCES "public"."instances"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "orders_token" ON "orders" USING btree ("token_id");--> statement-breakpoint
ALTER TABLE "packages" ADD CONSTRAINT "packages_traffic_counts" CHECK ("packages"."traffic_counts" in ('both', 'out'));--> statement-breakpoint
ALTER TABLE "packages" ADD CONSTRAINT "packages_traffic" CHECK ("packages"."rate_mbit" >= 1 and "packages"."traffic_gb" >= 0 and "packages"."slow_mbit" >= 1);