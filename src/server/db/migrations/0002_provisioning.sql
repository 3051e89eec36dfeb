CREATE TABLE "leases" (
	"key" text PRIMARY KEY NOT NULL,
	"holder" text NOT NULL,
	"until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "kind" text DEFAULT 'purchase' NOT NULL;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "failure" text;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "job_id" text;--> statement-breakpoint
ALTER TABLE "instances" ADD COLUMN "marker" text;--> statement-breakpoint
ALTER TABLE "instances" ADD COLUMN "uuid" text;--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "cancelled_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE UNIQUE INDEX "orders_one_trial" ON "orders" USING btree ("user_id") WHERE "orders"."kind" = 'trial' and "orders"."status" <> 'cancelled';--> statement-breakpoint
CREATE UNIQUE INDEX "tokens_mac" ON "tokens" USING btree ("mac_address") WHERE "tokens"."mac_address" is not null and "tokens"."status" <> 'cancelled';--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_kind" CHECK ("orders"."kind" in ('purchase', 'trial', 'renewal', 'package', 'admin'));