-- Tokens of accounts deleted before this version: their grace begins now.
UPDATE "tokens" SET "cancelled_at" = now() WHERE "status" = 'cancelled' AND "cancelled_at" IS NULL;--> statement-breakpoint
UPDATE "tokens" SET "cancelled_at" = NULL WHERE "status" <> 'cancelled' AND "cancelled_at" IS NOT NULL;--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_cancelled" CHECK (("tokens"."status" = 'cancelled') = ("tokens"."cancelled_at" is not null));
