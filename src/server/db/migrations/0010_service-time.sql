CREATE TABLE "server_ends" (
	"token_id" integer PRIMARY KEY NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"since" text NOT NULL,
	"recorded_at" timestamp (3) with time zone NOT NULL,
	"recorded_ms" bigint NOT NULL,
	"ordered_ms" bigint,
	"approved_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "service_time" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"witnessed_ms" bigint DEFAULT 0 NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	"gap_ms" bigint,
	"confirmations" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "service_time_one" CHECK ("service_time"."id" = 1)
);
--> statement-breakpoint
ALTER TABLE "server_ends" ADD CONSTRAINT "server_ends_token_id_tokens_id_fk" FOREIGN KEY ("token_id") REFERENCES "public"."tokens"("id") ON DELETE cascade ON UPDATE no action;