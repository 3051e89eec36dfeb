DROP INDEX "orders_token";--> statement-breakpoint
DROP INDEX "jobs_subject";--> statement-breakpoint
CREATE INDEX "orders_token" ON "orders" USING btree ("token_id","id");--> statement-breakpoint
CREATE INDEX "jobs_subject" ON "jobs" USING btree ("subject","created_at");