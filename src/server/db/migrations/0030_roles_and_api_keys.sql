CREATE TABLE "key_spendings" (
	"key_id" integer NOT NULL,
	"order_id" integer NOT NULL,
	"day" date NOT NULL,
	"amount_cents" integer NOT NULL,
	CONSTRAINT "key_spendings_key_id_order_id_pk" PRIMARY KEY("key_id","order_id"),
	CONSTRAINT "key_spendings_amount" CHECK ("key_spendings"."amount_cents" > 0)
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" serial PRIMARY KEY NOT NULL,
	"user_id" integer NOT NULL,
	"name" varchar(60) NOT NULL,
	"key_hash" text NOT NULL,
	"hint" varchar(12) NOT NULL,
	"scopes" jsonb NOT NULL,
	"cidrs" jsonb NOT NULL,
	"instance_ids" jsonb,
	"daily_limit_cents" integer,
	"expires_at" timestamp (3) with time zone,
	"last_used_on" date,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "api_keys_hash" UNIQUE("key_hash"),
	CONSTRAINT "api_keys_limit" CHECK ("api_keys"."daily_limit_cents" > 0)
);
--> statement-breakpoint
ALTER TABLE "users" DROP CONSTRAINT "users_role";--> statement-breakpoint
ALTER TABLE "console_tickets" ALTER COLUMN "session_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "console_tickets" ADD COLUMN "api_key_id" integer;--> statement-breakpoint
ALTER TABLE "key_spendings" ADD CONSTRAINT "key_spendings_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "key_spendings" ADD CONSTRAINT "key_spendings_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "key_spendings_day" ON "key_spendings" USING btree ("key_id","day");--> statement-breakpoint
CREATE INDEX "key_spendings_order" ON "key_spendings" USING btree ("order_id");--> statement-breakpoint
CREATE INDEX "api_keys_user" ON "api_keys" USING btree ("user_id");--> statement-breakpoint
ALTER TABLE "console_tickets" ADD CONSTRAINT "console_tickets_api_key_id_api_keys_id_fk" FOREIGN KEY ("api_key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_role" CHECK ("users"."role" in ('admin', 'operator', 'support', 'billing', 'viewer', 'client'));