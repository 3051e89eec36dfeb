CREATE TABLE "next_packages" (
	"token_id" integer PRIMARY KEY NOT NULL,
	"plan_id" text NOT NULL,
	"plan_name" varchar(100) NOT NULL,
	"server_name" varchar(100) NOT NULL,
	"former_cents" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"due_at" timestamp (3) with time zone,
	"tried_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "orders" DROP CONSTRAINT "orders_kind";--> statement-breakpoint
ALTER TABLE "next_packages" ADD CONSTRAINT "next_packages_token_id_tokens_id_fk" FOREIGN KEY ("token_id") REFERENCES "public"."tokens"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "next_packages_due" ON "next_packages" USING btree ("due_at");--> statement-breakpoint
CREATE UNIQUE INDEX "orders_one_open_change" ON "orders" USING btree ("token_id") WHERE "orders"."kind" = 'change' and "orders"."status" in ('pending', 'paid', 'provisioning');--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_kind" CHECK ("orders"."kind" in ('purchase', 'trial', 'renewal', 'package', 'admin', 'top-up', 'change'));