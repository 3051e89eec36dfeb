CREATE TABLE "vouchers" (
	"id" serial PRIMARY KEY NOT NULL,
	"batch" text NOT NULL,
	"code_hash" text NOT NULL,
	"ending" text NOT NULL,
	"amount_cents" integer NOT NULL,
	"note" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"used_at" timestamp (3) with time zone,
	CONSTRAINT "vouchers_codeHash_unique" UNIQUE("code_hash"),
	CONSTRAINT "vouchers_amount" CHECK ("vouchers"."amount_cents" > 0)
);
--> statement-breakpoint
ALTER TABLE "ledger" DROP CONSTRAINT "ledger_account";--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "way" text;--> statement-breakpoint
ALTER TABLE "ledger" ADD CONSTRAINT "ledger_account" CHECK ("ledger"."account" in ('received', 'vouchers', 'held', 'earned', 'credit'));