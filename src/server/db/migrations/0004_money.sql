CREATE TABLE "ledger" (
	"id" serial PRIMARY KEY NOT NULL,
	"posting" text NOT NULL,
	"account" text NOT NULL,
	"amount_cents" integer NOT NULL,
	"provider" text,
	"user_id" integer,
	"order_id" integer,
	"payment_id" integer,
	"reason" text NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ledger_account" CHECK ("ledger"."account" in ('received', 'held', 'earned', 'credit'))
);
--> statement-breakpoint
CREATE TABLE "webhook_events" (
	"id" serial PRIMARY KEY NOT NULL,
	"provider" text NOT NULL,
	"event_id" varchar(100) NOT NULL,
	"type" text NOT NULL,
	"subject" varchar(100),
	"received_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"handled_at" timestamp (3) with time zone,
	"outcome" text,
	CONSTRAINT "webhook_events_once" UNIQUE("provider","event_id")
);
--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "server_name" varchar(100);--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "credit_cents" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "pay_by" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "received_cents" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "refunded_cents" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "url" text;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "expires_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "token_id" integer;--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "for_order" integer;--> statement-breakpoint
ALTER TABLE "ledger" ADD CONSTRAINT "ledger_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger" ADD CONSTRAINT "ledger_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger" ADD CONSTRAINT "ledger_payment_id_payments_id_fk" FOREIGN KEY ("payment_id") REFERENCES "public"."payments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "ledger_posting" ON "ledger" USING btree ("posting");--> statement-breakpoint
CREATE INDEX "ledger_user" ON "ledger" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "ledger_order" ON "ledger" USING btree ("order_id");--> statement-breakpoint
CREATE INDEX "webhook_events_open" ON "webhook_events" USING btree ("received_at") WHERE "webhook_events"."handled_at" is null;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_token_id_tokens_id_fk" FOREIGN KEY ("token_id") REFERENCES "public"."tokens"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "orders_one_open_renewal" ON "orders" USING btree ("token_id") WHERE "orders"."kind" = 'renewal' and "orders"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "orders_open" ON "orders" USING btree ("pay_by") WHERE "orders"."status" = 'pending';--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_credit" CHECK ("orders"."credit_cents" between 0 and "orders"."amount_cents");--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_status" CHECK ("payments"."status" in ('pending', 'confirming', 'paid', 'expired', 'failed', 'refunded'));--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_refunded" CHECK ("payments"."refunded_cents" between 0 and "payments"."received_cents");
--> statement-breakpoint
UPDATE payments SET received_cents = amount_cents WHERE status = 'paid';
--> statement-breakpoint
INSERT INTO ledger (posting, account, amount_cents, provider, user_id, order_id, payment_id, reason)
  SELECT 'opening-' || p.id, 'received', p.amount_cents, p.provider, o.user_id, o.id, p.id, 'opening balance'
  FROM payments p JOIN orders o ON o.id = p.order_id WHERE p.status = 'paid' AND p.amount_cents > 0
  UNION ALL
  SELECT 'opening-' || p.id,
    CASE o.status WHEN 'active' THEN 'earned' WHEN 'cancelled' THEN 'credit' ELSE 'held' END,
    -p.amount_cents, NULL, o.user_id, o.id, p.id, 'opening balance'
  FROM payments p JOIN orders o ON o.id = p.order_id WHERE p.status = 'paid' AND p.amount_cents > 0;
--> statement-breakpoint
CREATE FUNCTION refuse_ledger_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.user_id IS NULL
    AND (to_jsonb(NEW) - 'user_id') = (to_jsonb(OLD) - 'user_id') THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'the ledger is append-only';
END;
$$;
--> statement-breakpoint
CREATE TRIGGER ledger_append_only BEFORE UPDATE OR DELETE ON ledger
  FOR EACH ROW EXECUTE FUNCTION refuse_ledger_change();
--> statement-breakpoint
CREATE FUNCTION refuse_unbalanced_posting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT sum(amount_cents) FROM ledger WHERE posting = NEW.posting) <> 0 THEN
    RAISE EXCEPTION 'a posting must add up to nothing: %', NEW.posting;
  END IF;
  RETURN NULL;
END;
$$;
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER ledger_balances AFTER INSERT ON ledger
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_unbalanced_posting();
