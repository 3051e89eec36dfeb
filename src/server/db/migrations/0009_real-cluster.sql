ALTER TABLE "clusters" ADD COLUMN "own_addresses" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "clusters" ADD COLUMN "other_hosts" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "templates" ADD COLUMN "has_cloud_init" boolean;--> statement-breakpoint
ALTER TABLE "templates" ADD COLUMN "storages" jsonb;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "failure_detail" text;--> statement-breakpoint
ALTER TABLE "instances" ADD COLUMN "seen_addresses" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "instances" ADD COLUMN "described_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "stuck" jsonb;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "given_up_at" timestamp (3) with time zone;--> statement-breakpoint
-- Networks used to be used as they were found. One that holds addresses of tokens was chosen by an
-- operator and goes on with the range of those addresses; any other waits to be confirmed.
UPDATE "clusters" c SET "settings" = jsonb_set(c."settings", '{networks}', coalesce((
  SELECT jsonb_agg(n.network || CASE
      WHEN r.low IS NULL THEN '{"isConfirmed": false}'::jsonb
      ELSE jsonb_build_object('isConfirmed', true, 'first', host(r.low), 'last', host(r.high))
    END ORDER BY n.at)
  FROM jsonb_array_elements(c."settings"->'networks') WITH ORDINALITY AS n(network, at)
  LEFT JOIN LATERAL (
    SELECT min(a.address) AS low, max(a.address) AS high FROM (
      SELECT CASE WHEN t."ip_address" ~ '^\d{1,3}(\.\d{1,3}){3}$' THEN t."ip_address"::inet END AS address
      FROM "tokens" t JOIN "nodes" ON "nodes"."id" = t."node_id"
      WHERE "nodes"."cluster_id" = c."id" AND t."token_type" = 'ip_mac' AND t."status" <> 'cancelled'
    ) a WHERE a.address << network((n.network->>'cidr')::inet)
  ) r ON true
), '[]'::jsonb)) WHERE jsonb_typeof(c."settings"->'networks') = 'array';--> statement-breakpoint
-- The demo's network is nobody else's.
UPDATE "clusters" c SET "settings" = jsonb_set(c."settings", '{networks}', (
  SELECT jsonb_agg(CASE WHEN n.network->>'cidr' = '203.0.113.0/24'
      THEN n.network || '{"isConfirmed": true, "first": "203.0.113.10", "last": "203.0.113.250"}'::jsonb
      ELSE n.network END ORDER BY n.at)
  FROM jsonb_array_elements(c."settings"->'networks') WITH ORDINALITY AS n(network, at)
)) WHERE c."uid" = 'demo' AND jsonb_typeof(c."settings"->'networks') = 'array'
  AND jsonb_array_length(c."settings"->'networks') > 0;
