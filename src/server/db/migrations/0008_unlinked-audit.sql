CREATE TABLE "audit_checkpoints" (
	"id" serial PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"last_id" bigint NOT NULL,
	"entries" integer NOT NULL,
	"hash" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "failed_logins" (
	"id" serial PRIMARY KEY NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"user_id" integer,
	"count" integer DEFAULT 1 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "subscriptions" DROP CONSTRAINT "subscriptions_user_id_users_id_fk";
--> statement-breakpoint
ALTER TABLE "subscriptions" ALTER COLUMN "user_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "audit_log" ADD COLUMN "subject_id" integer;--> statement-breakpoint
ALTER TABLE "audit_log" ADD COLUMN "actor_seal" text;--> statement-breakpoint
ALTER TABLE "audit_log" ADD COLUMN "admin_seal" text;--> statement-breakpoint
ALTER TABLE "audit_log" ADD COLUMN "subject_seal" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "is_look_alike" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "audit_key" text DEFAULT replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '') NOT NULL;--> statement-breakpoint
ALTER TABLE "failed_logins" ADD CONSTRAINT "failed_logins_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "failed_logins_account" ON "failed_logins" USING btree ("hour","user_id") WHERE "failed_logins"."user_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "failed_logins_strangers" ON "failed_logins" USING btree ("hour") WHERE "failed_logins"."user_id" is null;--> statement-breakpoint
CREATE INDEX "failed_logins_user" ON "failed_logins" USING btree ("user_id");--> statement-breakpoint
CREATE FUNCTION audit_seal(account integer, previous text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT encode(sha256(convert_to(audit_key || E'\n' || previous || E'\n' || id, 'UTF8')), 'hex')
    FROM users WHERE id = account
$$;
--> statement-breakpoint
DO $$
DECLARE
  entry record;
  previous text := repeat('0', 64);
  old_head text;
  count integer := 0;
  subject integer;
  seals text[];
  rest jsonb;
  kept text;
  moment timestamptz := date_trunc('milliseconds', now());
BEGIN
  ALTER TABLE audit_log DISABLE TRIGGER USER;
  FOR entry IN SELECT * FROM audit_log ORDER BY id LOOP
    subject := substring(entry.target FROM '^user:(\d{1,9})$')::integer;
    IF subject IS NULL THEN
      subject := substring(entry.details ->> 'clientUserId' FROM '^\d{1,9}$')::integer;
    END IF;
    rest := entry.details - 'username' - 'clientUserId';
    kept := CASE WHEN entry.target ~ '^user:\d+$' THEN 'user' ELSE entry.target END;
    -- Of an account that is gone nothing can be sealed any more: a random seal stands for it.
    seals := ARRAY[
      CASE WHEN entry.actor_id IS NOT NULL THEN coalesce(audit_seal(entry.actor_id, previous),
        encode(sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex')) END,
      CASE WHEN entry.admin_id IS NOT NULL THEN coalesce(audit_seal(entry.admin_id, previous),
        encode(sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex')) END,
      CASE WHEN subject IS NOT NULL THEN coalesce(audit_seal(subject, previous),
        encode(sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex')) END
    ];
    old_head := entry.hash;
    UPDATE audit_log SET
      actor_id = (SELECT id FROM users WHERE id = entry.actor_id),
      admin_id = (SELECT id FROM users WHERE id = entry.admin_id),
      subject_id = (SELECT id FROM users WHERE id = subject),
      actor_seal = seals[1], admin_seal = seals[2], subject_seal = seals[3],
      target = kept, details = rest, previous_hash = previous,
      hash = encode(sha256(convert_to(concat_ws(E'\n', previous,
        to_char(entry.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        coalesce(seals[1], ''), coalesce(seals[2], ''), coalesce(seals[3], ''),
        entry.action, coalesce(kept, ''), rest::text), 'UTF8')), 'hex')
      WHERE id = entry.id RETURNING hash INTO previous;
    count := count + 1;
  END LOOP;
  IF count > 0 THEN
    -- Set by the check of the old chain, before this migration (audit/old-chain.ts).
    rest := jsonb_strip_nulls(jsonb_build_object('entries', count, 'oldHead', old_head, 'brokenAt',
      nullif(current_setting('hushbox.audit_broken_at', true), '')::integer));
    INSERT INTO audit_log (at, action, details, previous_hash, hash) VALUES (
      moment, 'audit.carried-over', rest, previous,
      encode(sha256(convert_to(concat_ws(E'\n', previous,
        to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        '', '', '', 'audit.carried-over', '', rest::text), 'UTF8')), 'hex'));
  END IF;
  ALTER TABLE audit_log ENABLE TRIGGER USER;
END $$;
--> statement-breakpoint
DROP FUNCTION audit_seal(integer, text);
--> statement-breakpoint
CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- An account was deleted: the entry forgets which, and nothing else of it changes.
  IF TG_OP = 'UPDATE'
    AND (to_jsonb(NEW) - 'actor_id' - 'admin_id' - 'subject_id')
      = (to_jsonb(OLD) - 'actor_id' - 'admin_id' - 'subject_id')
    AND (NEW.actor_id IS NOT DISTINCT FROM OLD.actor_id
      OR NEW.actor_id IS NULL AND NOT EXISTS (SELECT 1 FROM users WHERE id = OLD.actor_id))
    AND (NEW.admin_id IS NOT DISTINCT FROM OLD.admin_id
      OR NEW.admin_id IS NULL AND NOT EXISTS (SELECT 1 FROM users WHERE id = OLD.admin_id))
    AND (NEW.subject_id IS NOT DISTINCT FROM OLD.subject_id
      OR NEW.subject_id IS NULL AND NOT EXISTS (SELECT 1 FROM users WHERE id = OLD.subject_id))
  THEN
    RETURN NEW;
  END IF;
  -- Old entries go once a checkpoint says where the chain begins instead.
  IF TG_OP = 'DELETE' AND OLD.at < now() - interval '1 year'
    AND EXISTS (SELECT 1 FROM audit_checkpoints WHERE last_id >= OLD.id)
  THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'the audit log is append-only';
END;
$$;
--> statement-breakpoint
UPDATE jobs SET input = jsonb_set(input, '{userId}', '0')
  WHERE input ? 'userId' AND input ->> 'userId' <> '0'
    AND NOT EXISTS (SELECT 1 FROM users WHERE id::text = input ->> 'userId');
--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_actor_id_users_id_fk" FOREIGN KEY ("actor_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_admin_id_users_id_fk" FOREIGN KEY ("admin_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_subject_id_users_id_fk" FOREIGN KEY ("subject_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_admin" ON "audit_log" USING btree ("admin_id");--> statement-breakpoint
CREATE INDEX "audit_subject" ON "audit_log" USING btree ("subject_id");--> statement-breakpoint
CREATE INDEX "audit_at" ON "audit_log" USING btree ("at");