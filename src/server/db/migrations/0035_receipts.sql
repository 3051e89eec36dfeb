CREATE TABLE "receipts" (
	"number" integer PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"ledger_id" integer NOT NULL,
	"order_id" integer NOT NULL,
	"issued_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"content" jsonb NOT NULL,
	CONSTRAINT "receipts_ledgerId_unique" UNIQUE("ledger_id"),
	CONSTRAINT "receipts_kind" CHECK ("receipts"."kind" in ('receipt', 'credit note')),
	CONSTRAINT "receipts_number" CHECK ("receipts"."number" > 0)
);
--> statement-breakpoint
ALTER TABLE "receipts" ADD CONSTRAINT "receipts_ledger_id_ledger_id_fk" FOREIGN KEY ("ledger_id") REFERENCES "public"."ledger"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "receipts" ADD CONSTRAINT "receipts_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "receipts_order" ON "receipts" USING btree ("order_id");--> statement-breakpoint
CREATE INDEX "ledger_at" ON "ledger" USING btree ("at");--> statement-breakpoint
CREATE FUNCTION refuse_receipt_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a receipt that is issued does not change';
END;
$$;
--> statement-breakpoint
CREATE TRIGGER receipts_issued BEFORE UPDATE OR DELETE ON receipts
  FOR EACH ROW EXECUTE FUNCTION refuse_receipt_change();
