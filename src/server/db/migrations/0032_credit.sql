CREATE TABLE "payment_links" (
	"token_id" integer PRIMARY KEY NOT NULL,
	"user_id" integer NOT NULL,
	"code_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "payment_links_codeHash_unique" UNIQUE("code_hash")
);
--> statement-breakpoint
ALTER TABLE "orders" DROP CONSTRAINT "orders_kind";--> statement-breakpoint
ALTER TABLE "ledger" ADD COLUMN "key" text;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "months" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "auto_renew" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "auto_renew_told" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "payment_links" ADD CONSTRAINT "payment_links_token_id_tokens_id_fk" FOREIGN KEY ("token_id") REFERENCES "public"."tokens"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payment_links" ADD CONSTRAINT "payment_links_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "payment_links_user" ON "payment_links" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "orders_one_open_top_up" ON "orders" USING btree ("user_id") WHERE "orders"."kind" = 'top-up' and "orders"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "tokens_auto_renew" ON "tokens" USING btree ("expires_at") WHERE "tokens"."auto_renew";--> statement-breakpoint
ALTER TABLE "ledger" ADD CONSTRAINT "ledger_key" UNIQUE("key");--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_months" CHECK ("orders"."months" in (1, 3, 6, 12));--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_kind" CHECK ("orders"."kind" in ('purchase', 'trial', 'renewal', 'package', 'admin', 'top-up'));