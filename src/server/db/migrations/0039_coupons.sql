CREATE TABLE "coupons" (
	"id" serial PRIMARY KEY NOT NULL,
	"code" varchar(30) NOT NULL,
	"typed" text NOT NULL,
	"percent" integer,
	"off_cents" integer,
	"package_ids" jsonb,
	"first_only" boolean DEFAULT false NOT NULL,
	"renewals" boolean DEFAULT false NOT NULL,
	"valid_from" timestamp (3) with time zone,
	"valid_until" timestamp (3) with time zone,
	"max_uses" integer,
	"max_per_account" integer,
	"note" text,
	"is_on" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "coupons_code_unique" UNIQUE("code"),
	CONSTRAINT "coupons_typed_unique" UNIQUE("typed"),
	CONSTRAINT "coupons_off" CHECK (("coupons"."percent" is null) <> ("coupons"."off_cents" is null)),
	CONSTRAINT "coupons_percent" CHECK ("coupons"."percent" between 1 and 100),
	CONSTRAINT "coupons_off_cents" CHECK ("coupons"."off_cents" > 0)
);
--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "coupon" varchar(30);--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "coupon_use" text;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "discount_cents" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_coupon_coupons_code_fk" FOREIGN KEY ("coupon") REFERENCES "public"."coupons"("code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "orders_coupon" ON "orders" USING btree ("coupon");--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_coupon_use" CHECK ("orders"."coupon_use" in ('reserved', 'used', 'returned'));--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_coupon" CHECK (num_nulls("orders"."coupon", "orders"."coupon_use") in (0, 2));--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_discount" CHECK (("orders"."discount_cents" > 0) = ("orders"."coupon" is not null));