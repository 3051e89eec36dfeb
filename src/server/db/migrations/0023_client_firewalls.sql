ALTER TABLE "firewalls" ADD COLUMN "confirmed" jsonb DEFAULT '{"incoming":"ACCEPT","rules":[]}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "firewalls" ADD COLUMN "confirmed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "firewalls" ADD COLUMN "trial" jsonb;--> statement-breakpoint
ALTER TABLE "firewalls" ADD COLUMN "revert_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "firewalls" ADD COLUMN "reverted" jsonb;--> statement-breakpoint
ALTER TABLE "firewalls" ADD COLUMN "reverted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "firewalls" ADD COLUMN "version" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "firewalls" ADD COLUMN "applied_version" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "packages" ADD COLUMN "mail_open" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "firewalls_trials" ON "firewalls" USING btree ("revert_at") WHERE "firewalls"."revert_at" is not null;--> statement-breakpoint
CREATE INDEX "firewalls_unapplied" ON "firewalls" USING btree ("instance_id") WHERE "firewalls"."version" > "firewalls"."applied_version";--> statement-breakpoint
ALTER TABLE "firewalls" ADD CONSTRAINT "firewalls_trial" CHECK (("firewalls"."trial" is null) = ("firewalls"."revert_at" is null));--> statement-breakpoint
ALTER TABLE "firewalls" ADD CONSTRAINT "firewalls_reverted" CHECK (("firewalls"."reverted" is null) = ("firewalls"."reverted_at" is null));