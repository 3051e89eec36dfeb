ALTER TABLE "orders" ADD COLUMN "began_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "answer_by_ms" bigint;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "answered_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "answered_by" text;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "host_key" text;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "returned_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "orders_answer_due" ON "orders" USING btree ("answer_by_ms") WHERE "orders"."status" = 'provisioning';--> statement-breakpoint
CREATE INDEX "orders_answered_at" ON "orders" USING btree ("answered_at") WHERE "orders"."answered_at" is not null;--> statement-breakpoint
CREATE INDEX "orders_returned_at" ON "orders" USING btree ("returned_at") WHERE "orders"."returned_at" is not null;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_answered_by" CHECK ("orders"."answered_by" in ('ssh', 'agent', 'rdp', 'picture'));--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_answered" CHECK (("orders"."answered_at" is null) = ("orders"."answered_by" is null));