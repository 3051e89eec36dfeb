ALTER TABLE "orders" ADD COLUMN "ipv6_only" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "packages" ADD COLUMN "ipv6_only" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "instances" ADD COLUMN "ipv6_address" varchar(45);--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "ipv6_address" varchar(45);