CREATE TABLE "isos" (
	"id" serial PRIMARY KEY NOT NULL,
	"cluster_id" integer NOT NULL,
	"volume" varchar(300) NOT NULL,
	"name" varchar(60) NOT NULL,
	"is_rescue" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "isos_volume" UNIQUE("cluster_id","volume")
);
--> statement-breakpoint
CREATE TABLE "used_vm_ids" (
	"cluster_id" integer NOT NULL,
	"vm_id" integer NOT NULL,
	"given_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "used_vm_ids_cluster_id_vm_id_pk" PRIMARY KEY("cluster_id","vm_id")
);
--> statement-breakpoint
CREATE TABLE "own_isos" (
	"id" serial PRIMARY KEY NOT NULL,
	"cluster_id" integer NOT NULL,
	"instance_id" integer,
	"node" varchar(100) NOT NULL,
	"volume" varchar(300) NOT NULL,
	"url" text NOT NULL,
	"sha256" varchar(64) NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"tried_at" timestamp (3) with time zone,
	CONSTRAINT "own_isos_volume" UNIQUE("cluster_id","node","volume")
);
--> statement-breakpoint
CREATE TABLE "server_cds" (
	"instance_id" integer PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"name" varchar(300) NOT NULL,
	"volume" varchar(300) NOT NULL,
	"slot" varchar(10) NOT NULL,
	"boot" text,
	"bootdisk" text,
	"put_in_at" timestamp (3) with time zone NOT NULL,
	"booted_at" timestamp (3) with time zone,
	"tried_at" timestamp (3) with time zone,
	CONSTRAINT "server_cds_kind" CHECK ("server_cds"."kind" in ('iso', 'rescue'))
);
--> statement-breakpoint
ALTER TABLE "isos" ADD CONSTRAINT "isos_cluster_id_clusters_id_fk" FOREIGN KEY ("cluster_id") REFERENCES "public"."clusters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "used_vm_ids" ADD CONSTRAINT "used_vm_ids_cluster_id_clusters_id_fk" FOREIGN KEY ("cluster_id") REFERENCES "public"."clusters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "own_isos" ADD CONSTRAINT "own_isos_cluster_id_clusters_id_fk" FOREIGN KEY ("cluster_id") REFERENCES "public"."clusters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "own_isos" ADD CONSTRAINT "own_isos_instance_id_instances_id_fk" FOREIGN KEY ("instance_id") REFERENCES "public"."instances"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "server_cds" ADD CONSTRAINT "server_cds_instance_id_instances_id_fk" FOREIGN KEY ("instance_id") REFERENCES "public"."instances"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "isos_one_rescue" ON "isos" USING btree ("cluster_id") WHERE "isos"."is_rescue";--> statement-breakpoint
CREATE INDEX "own_isos_server" ON "own_isos" USING btree ("instance_id");--> statement-breakpoint
CREATE INDEX "own_isos_expire" ON "own_isos" USING btree ("expires_at");--> statement-breakpoint
INSERT INTO "used_vm_ids" ("cluster_id", "vm_id", "given_at") SELECT "cluster_id", "vm_id", "created_at" FROM "instances" WHERE "marker" IS NOT NULL ON CONFLICT DO NOTHING;
