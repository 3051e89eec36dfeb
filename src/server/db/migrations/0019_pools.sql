CREATE TABLE "addresses" (
	"id" serial PRIMARY KEY NOT NULL,
	"pool_id" integer NOT NULL,
	"cluster_id" integer NOT NULL,
	"family" smallint NOT NULL,
	"address" "inet" NOT NULL,
	"state" text DEFAULT 'free' NOT NULL,
	"token_id" integer,
	"instance_id" integer,
	"reason" text,
	"until" timestamp (3) with time zone,
	CONSTRAINT "addresses_address" UNIQUE("cluster_id","address"),
	CONSTRAINT "addresses_state" CHECK ("addresses"."state" in ('free', 'held', 'used', 'reserved', 'cooling')),
	CONSTRAINT "addresses_cooling" CHECK (("addresses"."state" = 'cooling') = ("addresses"."until" is not null)),
	CONSTRAINT "addresses_reserved" CHECK ("addresses"."state" <> 'reserved' or "addresses"."reason" is not null)
);
--> statement-breakpoint
CREATE TABLE "pools" (
	"id" serial PRIMARY KEY NOT NULL,
	"cluster_id" integer NOT NULL,
	"name" varchar(60) NOT NULL,
	"family" smallint NOT NULL,
	"cidr" varchar(49) NOT NULL,
	"gateway" varchar(45) NOT NULL,
	"ranges" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"reserved" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"bridge" varchar(15) NOT NULL,
	"vlan" integer,
	"nameservers" jsonb NOT NULL,
	"search_domain" varchar(253) NOT NULL,
	"rdns" varchar(253),
	"prefix_per_server" smallint,
	"laid_out" "inet",
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "pools_name" UNIQUE("cluster_id","name"),
	CONSTRAINT "pools_family" CHECK ("pools"."family" in (4, 6))
);
--> statement-breakpoint
ALTER TABLE "addresses" ADD CONSTRAINT "addresses_pool_id_pools_id_fk" FOREIGN KEY ("pool_id") REFERENCES "public"."pools"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "addresses" ADD CONSTRAINT "addresses_cluster_id_clusters_id_fk" FOREIGN KEY ("cluster_id") REFERENCES "public"."clusters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "addresses" ADD CONSTRAINT "addresses_token_id_tokens_id_fk" FOREIGN KEY ("token_id") REFERENCES "public"."tokens"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "addresses" ADD CONSTRAINT "addresses_instance_id_instances_id_fk" FOREIGN KEY ("instance_id") REFERENCES "public"."instances"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pools" ADD CONSTRAINT "pools_cluster_id_clusters_id_fk" FOREIGN KEY ("cluster_id") REFERENCES "public"."clusters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "addresses_next" ON "addresses" USING btree ("cluster_id","family","address") WHERE "addresses"."state" in ('free', 'cooling');--> statement-breakpoint
CREATE INDEX "addresses_pool" ON "addresses" USING btree ("pool_id");--> statement-breakpoint
CREATE INDEX "addresses_token" ON "addresses" USING btree ("token_id");--> statement-breakpoint
-- The networks of the clusters' settings become pools. One that was confirmed goes on with its range;
-- any other has none yet, and hands out nothing.
INSERT INTO "pools" ("cluster_id", "name", "family", "cidr", "gateway", "ranges", "bridge", "vlan", "nameservers", "search_domain")
SELECT c."id", network((n.network->>'cidr')::inet)::text, 4, network((n.network->>'cidr')::inet)::text,
  n.network->>'gateway',
  CASE WHEN n.network->>'isConfirmed' = 'true' AND n.network->>'first' <> '' AND n.network->>'last' <> ''
    THEN jsonb_build_array(jsonb_build_object('first', n.network->>'first', 'last', n.network->>'last'))
    ELSE '[]'::jsonb END,
  n.network->>'bridge', (n.network->>'vlan')::integer,
  coalesce(n.network->'nameservers', '[]'::jsonb), coalesce(n.network->>'searchDomain', 'localdomain')
FROM "clusters" c
CROSS JOIN LATERAL jsonb_array_elements(
  CASE WHEN jsonb_typeof(c."settings"->'networks') = 'array' THEN c."settings"->'networks' ELSE '[]'::jsonb END
) WITH ORDINALITY AS n(network, at)
ORDER BY c."id", n.at
ON CONFLICT DO NOTHING;--> statement-breakpoint
UPDATE "clusters" SET "settings" = "settings" - 'networks';--> statement-breakpoint
-- What tokens, servers, other VMs and the clusters themselves have. A server goes before what was
-- seen elsewhere, and that before a token that is only on sale.
INSERT INTO "addresses" ("pool_id", "cluster_id", "family", "address", "state", "token_id", "instance_id", "reason")
SELECT DISTINCT ON (h.cluster_id, h.address::inet)
  p."id", h.cluster_id, 4, h.address::inet, h.state, h.token_id, h.instance_id, h.reason
FROM (
  SELECT 1 AS rank, n."cluster_id" AS cluster_id, t."ip_address" AS address, 'used' AS state,
    t."id" AS token_id, t."assigned_instance_id" AS instance_id, NULL::text AS reason
  FROM "tokens" t JOIN "nodes" n ON n."id" = t."node_id" WHERE t."assigned_instance_id" IS NOT NULL
  UNION ALL
  SELECT 2, i."cluster_id", i."ip_address", 'used', i."token_id", i."id", NULL
  FROM "instances" i WHERE i."missing_since" IS NULL AND i."status" <> 'creating'
    AND (i."owner_id" IS NOT NULL OR i."marker" IS NOT NULL)
  UNION ALL
  SELECT 3, p."cluster_id", p."gateway", 'reserved', NULL, NULL, 'Gateway of the pool' FROM "pools" p
  UNION ALL
  SELECT 4, c."id", own.address, 'reserved', NULL, NULL, 'A node, bridge or gateway of the cluster'
  FROM "clusters" c CROSS JOIN LATERAL jsonb_array_elements_text(c."own_addresses" || to_jsonb(c."host")) AS own(address)
  UNION ALL
  SELECT 5, i."cluster_id", seen.address, 'reserved', NULL, NULL, left('VM ' || i."vm_id" || ' (' || i."name" || ')', 200)
  FROM "instances" i CROSS JOIN LATERAL jsonb_array_elements_text(i."seen_addresses" || coalesce(to_jsonb(i."ip_address"), '[]'::jsonb)) AS seen(address)
  WHERE i."missing_since" IS NULL AND i."owner_id" IS NULL AND i."marker" IS NULL
  UNION ALL
  SELECT 6, n."cluster_id", t."ip_address", 'held', t."id", NULL, NULL
  FROM "tokens" t JOIN "nodes" n ON n."id" = t."node_id"
  WHERE t."status" <> 'cancelled' AND t."assigned_instance_id" IS NULL
  UNION ALL
  SELECT 7, i."cluster_id", i."ip_address", 'held', i."token_id", i."id", NULL
  FROM "instances" i WHERE i."missing_since" IS NULL AND i."status" = 'creating'
) h
JOIN "pools" p ON p."cluster_id" = h.cluster_id
  AND CASE WHEN h.address ~ '^((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.|$)){4}$' THEN h.address::inet << p."cidr"::inet ELSE false END
WHERE h.address ~ '^((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.|$)){4}$'
ORDER BY h.cluster_id, h.address::inet, h.rank, masklen(p."cidr"::inet) DESC;
