ALTER TABLE "jobs" ADD COLUMN "subject" text;--> statement-breakpoint
-- Jobs used to be found by the token in their input.
UPDATE "jobs" SET "subject" = 'token:' || ("input" ->> 'tokenId') WHERE "input" ->> 'tokenId' IS NOT NULL;--> statement-breakpoint
CREATE INDEX "jobs_subject" ON "jobs" USING btree ("subject");
