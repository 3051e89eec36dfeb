CREATE INDEX "sessions_simulated" ON "sessions" USING btree ("simulated_user_id") WHERE "sessions"."simulated_user_id" is not null;--> statement-breakpoint
CREATE INDEX "addresses_instance" ON "addresses" USING btree ("instance_id") WHERE "addresses"."instance_id" is not null;--> statement-breakpoint
CREATE INDEX "reverse_names_owner" ON "reverse_names" USING btree ("owner_id");--> statement-breakpoint
CREATE INDEX "handovers_giver" ON "handovers" USING btree ("giver_id");--> statement-breakpoint
CREATE INDEX "ledger_payment" ON "ledger" USING btree ("payment_id");--> statement-breakpoint
CREATE INDEX "subscriptions_user" ON "subscriptions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "subscriptions_instance" ON "subscriptions" USING btree ("instance_id");--> statement-breakpoint
CREATE INDEX "subscriptions_token" ON "subscriptions" USING btree ("token_id");--> statement-breakpoint
CREATE INDEX "instances_token" ON "instances" USING btree ("token_id");--> statement-breakpoint
CREATE INDEX "tokens_instance" ON "tokens" USING btree ("instance_id");--> statement-breakpoint
CREATE INDEX "tokens_assigned_instance" ON "tokens" USING btree ("assigned_instance_id");--> statement-breakpoint
CREATE INDEX "traffic_gaps_instance" ON "traffic_gaps" USING btree ("instance_id");