CREATE TABLE "disputes" (
	"id" varchar(100) PRIMARY KEY NOT NULL,
	"payment_id" integer NOT NULL,
	"amount_cents" integer NOT NULL,
	"state" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "disputes_state" CHECK ("disputes"."state" in ('open', 'lost', 'won'))
);
--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "lost_cents" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "instances" ADD COLUMN "suspended_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "instances" ADD COLUMN "suspend_reason" varchar(300);--> statement-breakpoint
ALTER TABLE "instances" ADD COLUMN "suspend_cause" text;--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "blocked" text;--> statement-breakpoint
ALTER TABLE "disputes" ADD CONSTRAINT "disputes_payment_id_payments_id_fk" FOREIGN KEY ("payment_id") REFERENCES "public"."payments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "disputes_payment" ON "disputes" USING btree ("payment_id");--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_lost" CHECK ("payments"."lost_cents" between 0 and "payments"."received_cents" - "payments"."refunded_cents");--> statement-breakpoint
ALTER TABLE "instances" ADD CONSTRAINT "instances_suspended" CHECK (("instances"."suspended_at" is null) = ("instances"."suspend_reason" is null) and ("instances"."suspended_at" is null) = ("instances"."suspend_cause" is null));