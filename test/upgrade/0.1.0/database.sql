--
-- PostgreSQL database dump
--


-- Dumped from database version 15.20 (Debian 15.20-0+deb12u1)
-- Dumped by pg_dump version 15.20 (Debian 15.20-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: pgboss; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA pgboss;


--
-- Name: job_state; Type: TYPE; Schema: pgboss; Owner: -
--

CREATE TYPE pgboss.job_state AS ENUM (
    'created',
    'retry',
    'active',
    'completed',
    'cancelled',
    'failed'
);


--
-- Name: create_queue(text, jsonb); Type: FUNCTION; Schema: pgboss; Owner: -
--

CREATE FUNCTION pgboss.create_queue(queue_name text, options jsonb) RETURNS void
    LANGUAGE plpgsql
    AS $_$
    DECLARE
      tablename varchar := CASE WHEN options->>'partition' = 'true'
                            THEN 'j' || encode(sha224(queue_name::bytea), 'hex')
                            ELSE 'job_common'
                            END;
      queue_created_on timestamptz;
    BEGIN

      WITH q as (
        INSERT INTO pgboss.queue (
          name,
          policy,
          retry_limit,
          retry_delay,
          retry_backoff,
          retry_delay_max,
          expire_seconds,
          retention_seconds,
          deletion_seconds,
          warning_queued,
          dead_letter,
          partition,
          table_name,
          heartbeat_seconds,
          notify,
          created_on,
          updated_on
        )
        VALUES (
          queue_name,
          options->>'policy',
          COALESCE((options->>'retryLimit')::int, 2),
          COALESCE((options->>'retryDelay')::int, 0),
          COALESCE((options->>'retryBackoff')::bool, false),
          (options->>'retryDelayMax')::int,
          COALESCE((options->>'expireInSeconds')::int, 900),
          COALESCE((options->>'retentionSeconds')::int, 1209600),
          COALESCE((options->>'deleteAfterSeconds')::int, 604800),
          COALESCE((options->>'warningQueueSize')::int, 0),
          options->>'deadLetter',
          COALESCE((options->>'partition')::bool, false),
          tablename,
          (options->>'heartbeatSeconds')::int,
          COALESCE((options->>'notify')::bool, false),
          pgboss.job_now(),
          pgboss.job_now()
        )
        ON CONFLICT DO NOTHING
        RETURNING created_on
      )
      SELECT created_on into queue_created_on from q;

      IF queue_created_on IS NULL OR options->>'partition' IS DISTINCT FROM 'true' THEN
        RETURN;
      END IF;

      EXECUTE format('CREATE TABLE pgboss.%I (LIKE pgboss.job INCLUDING DEFAULTS)', tablename);

      EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD PRIMARY KEY (name, id)$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT q_fkey FOREIGN KEY (name) REFERENCES pgboss.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT dlq_fkey FOREIGN KEY (dead_letter) REFERENCES pgboss.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, tablename);

      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i11 ON pgboss.job (name, priority DESC, created_on, start_after) WHERE state < 'active' AND NOT blocked$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i4 ON pgboss.job (name, singleton_on, COALESCE(singleton_key, '')) WHERE state <> 'cancelled' AND singleton_on IS NOT NULL$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i7 ON pgboss.job (name, group_id) WHERE state = 'active' AND group_id IS NOT NULL$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i9 ON pgboss.job (name, id) WHERE blocking AND state = 'completed'$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i12 ON pgboss.job (source_root_id) WHERE source_root_id IS NOT NULL$cmd$, tablename);

      IF options->>'policy' = 'short' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i1 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state = 'created' AND policy = 'short'$cmd$, tablename);
      ELSIF options->>'policy' = 'singleton' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i2 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state = 'active' AND policy = 'singleton'$cmd$, tablename);
      ELSIF options->>'policy' = 'stately' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i3 ON pgboss.job (name, state, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'stately'$cmd$, tablename);
      ELSIF options->>'policy' = 'exclusive' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i6 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'exclusive'$cmd$, tablename);
      ELSIF options->>'policy' = 'key_strict_fifo' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i8 ON pgboss.job (name, singleton_key) WHERE state IN ('active', 'retry', 'failed') AND policy = 'key_strict_fifo'$cmd$, tablename);
        EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i10 ON pgboss.job (name, singleton_key, state DESC, created_on, id) INCLUDE (start_after) WHERE state < 'active' AND NOT blocked AND policy = 'key_strict_fifo'$cmd$, tablename);
        EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT job_key_strict_fifo_singleton_key_check CHECK (NOT (policy = 'key_strict_fifo' AND singleton_key IS NULL))$cmd$, tablename);
      END IF;

      EXECUTE format('ALTER TABLE pgboss.%I ADD CONSTRAINT cjc CHECK (name=%L)', tablename, queue_name);
      EXECUTE format('ALTER TABLE pgboss.job ATTACH PARTITION pgboss.%I FOR VALUES IN (%L)', tablename, queue_name);
    END;
    $_$;


--
-- Name: delete_queue(text); Type: FUNCTION; Schema: pgboss; Owner: -
--

CREATE FUNCTION pgboss.delete_queue(queue_name text) RETURNS void
    LANGUAGE plpgsql
    AS $$
    DECLARE
      v_table varchar;
      v_partition bool;
    BEGIN
      
      SELECT table_name, partition
      FROM pgboss.queue
      WHERE name = queue_name
      INTO v_table, v_partition;

      IF v_partition THEN
        EXECUTE format('DROP TABLE IF EXISTS pgboss.%I', v_table);
      ELSE
        EXECUTE format('DELETE FROM pgboss.%I WHERE name = %L', v_table, queue_name);
      END IF;
    
      DELETE FROM pgboss.queue WHERE name = queue_name;
    END;
    $$;


--
-- Name: job_now(); Type: FUNCTION; Schema: pgboss; Owner: -
--

CREATE FUNCTION pgboss.job_now() RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    AS $$
      SELECT pg_catalog.now();
    $$;


--
-- Name: job_table_format(text, text); Type: FUNCTION; Schema: pgboss; Owner: -
--

CREATE FUNCTION pgboss.job_table_format(command text, table_name text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $_$
      SELECT format(
        regexp_replace(
          regexp_replace(command, '\.job\y', '.%1$I', 'g'),
          '\yjob_i(\d+)', '%1$s_i\1', 'g'
        ),
        table_name
      );
    $_$;


--
-- Name: job_table_run(text, text, text); Type: FUNCTION; Schema: pgboss; Owner: -
--

CREATE FUNCTION pgboss.job_table_run(command text, tbl_name text DEFAULT NULL::text, queue_name text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    AS $$
    DECLARE
      tbl RECORD;
    BEGIN
      IF queue_name IS NOT NULL THEN
        SELECT table_name INTO tbl_name FROM pgboss.queue WHERE name = queue_name;
      END IF;

      IF tbl_name IS NOT NULL THEN
        EXECUTE pgboss.job_table_format(command, tbl_name);
        RETURN;
      END IF;

      EXECUTE pgboss.job_table_format(command, 'job_common');

      FOR tbl IN SELECT table_name FROM pgboss.queue WHERE partition = true
      LOOP
        EXECUTE pgboss.job_table_format(command, tbl.table_name);
      END LOOP;
    END;
    $$;


--
-- Name: job_table_run_async(text, integer, text, text, text); Type: FUNCTION; Schema: pgboss; Owner: -
--

CREATE FUNCTION pgboss.job_table_run_async(command_name text, version integer, command text, tbl_name text DEFAULT NULL::text, queue_name text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    AS $$
    BEGIN
      IF queue_name IS NOT NULL THEN
        SELECT table_name INTO tbl_name FROM pgboss.queue WHERE name = queue_name;
      END IF;

      IF tbl_name IS NOT NULL THEN
        INSERT INTO pgboss.bam (name, version, status, queue, table_name, command)
        VALUES (
          command_name,
          version,
          'pending',
          queue_name,
          tbl_name,
          pgboss.job_table_format(command, tbl_name)
        );
        RETURN;
      END IF;

      INSERT INTO pgboss.bam (name, version, status, queue, table_name, command)
      SELECT
        command_name,
        version,
        'pending',
        NULL,
        'job_common',
        pgboss.job_table_format(command, 'job_common')
      UNION ALL
      SELECT
        command_name,
        version,
        'pending',
        queue.name,
        queue.table_name,
        pgboss.job_table_format(command, queue.table_name)
      FROM pgboss.queue
      WHERE partition = true;
    END;
    $$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: bam; Type: TABLE; Schema: pgboss; Owner: -
--

CREATE TABLE pgboss.bam (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    version integer NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    queue text,
    table_name text NOT NULL,
    command text NOT NULL,
    error text,
    created_on timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    started_on timestamp with time zone,
    completed_on timestamp with time zone
);


--
-- Name: job; Type: TABLE; Schema: pgboss; Owner: -
--

CREATE TABLE pgboss.job (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    priority integer DEFAULT 0 NOT NULL,
    data jsonb,
    state pgboss.job_state DEFAULT 'created'::pgboss.job_state NOT NULL,
    retry_limit integer DEFAULT 2 NOT NULL,
    retry_count integer DEFAULT 0 NOT NULL,
    retry_delay integer DEFAULT 0 NOT NULL,
    retry_backoff boolean DEFAULT false NOT NULL,
    retry_delay_max integer,
    expire_seconds integer DEFAULT 900 NOT NULL,
    deletion_seconds integer DEFAULT 604800 NOT NULL,
    singleton_key text,
    singleton_on timestamp without time zone,
    group_id text,
    group_tier text,
    start_after timestamp with time zone DEFAULT now() NOT NULL,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    started_on timestamp with time zone,
    completed_on timestamp with time zone,
    keep_until timestamp with time zone DEFAULT (now() + '336:00:00'::interval) NOT NULL,
    output jsonb,
    dead_letter text,
    policy text,
    heartbeat_on timestamp with time zone,
    heartbeat_seconds integer,
    blocked boolean DEFAULT false NOT NULL,
    blocking boolean DEFAULT false NOT NULL,
    pending_dependencies integer DEFAULT 0 NOT NULL,
    source_name text,
    source_id uuid,
    source_created_on timestamp with time zone,
    source_retry_count integer,
    source_output jsonb,
    source_root_id uuid
)
PARTITION BY LIST (name);


--
-- Name: job_common; Type: TABLE; Schema: pgboss; Owner: -
--

CREATE TABLE pgboss.job_common (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    priority integer DEFAULT 0 NOT NULL,
    data jsonb,
    state pgboss.job_state DEFAULT 'created'::pgboss.job_state NOT NULL,
    retry_limit integer DEFAULT 2 NOT NULL,
    retry_count integer DEFAULT 0 NOT NULL,
    retry_delay integer DEFAULT 0 NOT NULL,
    retry_backoff boolean DEFAULT false NOT NULL,
    retry_delay_max integer,
    expire_seconds integer DEFAULT 900 NOT NULL,
    deletion_seconds integer DEFAULT 604800 NOT NULL,
    singleton_key text,
    singleton_on timestamp without time zone,
    group_id text,
    group_tier text,
    start_after timestamp with time zone DEFAULT now() NOT NULL,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    started_on timestamp with time zone,
    completed_on timestamp with time zone,
    keep_until timestamp with time zone DEFAULT (now() + '336:00:00'::interval) NOT NULL,
    output jsonb,
    dead_letter text,
    policy text,
    heartbeat_on timestamp with time zone,
    heartbeat_seconds integer,
    blocked boolean DEFAULT false NOT NULL,
    blocking boolean DEFAULT false NOT NULL,
    pending_dependencies integer DEFAULT 0 NOT NULL,
    source_name text,
    source_id uuid,
    source_created_on timestamp with time zone,
    source_retry_count integer,
    source_output jsonb,
    source_root_id uuid,
    CONSTRAINT job_key_strict_fifo_singleton_key_check CHECK ((NOT ((policy = 'key_strict_fifo'::text) AND (singleton_key IS NULL))))
);


--
-- Name: job_dependency; Type: TABLE; Schema: pgboss; Owner: -
--

CREATE TABLE pgboss.job_dependency (
    child_name text NOT NULL,
    child_id uuid NOT NULL,
    parent_name text NOT NULL,
    parent_id uuid NOT NULL
);


--
-- Name: queue; Type: TABLE; Schema: pgboss; Owner: -
--

CREATE TABLE pgboss.queue (
    name text NOT NULL,
    policy text NOT NULL,
    retry_limit integer NOT NULL,
    retry_delay integer NOT NULL,
    retry_backoff boolean NOT NULL,
    retry_delay_max integer,
    expire_seconds integer NOT NULL,
    retention_seconds integer NOT NULL,
    deletion_seconds integer NOT NULL,
    dead_letter text,
    partition boolean NOT NULL,
    table_name text NOT NULL,
    deferred_count integer DEFAULT 0 NOT NULL,
    queued_count integer DEFAULT 0 NOT NULL,
    ready_count integer DEFAULT 0 NOT NULL,
    warning_queued integer DEFAULT 0 NOT NULL,
    active_count integer DEFAULT 0 NOT NULL,
    failed_count integer DEFAULT 0 NOT NULL,
    total_count integer DEFAULT 0 NOT NULL,
    created_delta integer DEFAULT 0 NOT NULL,
    completed_delta integer DEFAULT 0 NOT NULL,
    failed_delta integer DEFAULT 0 NOT NULL,
    delta_on timestamp with time zone,
    delta_seconds integer,
    ready_history integer[] DEFAULT '{}'::integer[] NOT NULL,
    heartbeat_seconds integer,
    notify boolean DEFAULT false NOT NULL,
    singletons_active text[],
    monitor_claim_on timestamp with time zone,
    monitor_on timestamp with time zone,
    maintain_on timestamp with time zone,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    updated_on timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT queue_check CHECK ((dead_letter IS DISTINCT FROM name))
);


--
-- Name: queue_stats; Type: TABLE; Schema: pgboss; Owner: -
--

CREATE TABLE pgboss.queue_stats (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    deferred_count integer DEFAULT 0 NOT NULL,
    queued_count integer DEFAULT 0 NOT NULL,
    ready_count integer DEFAULT 0 NOT NULL,
    active_count integer DEFAULT 0 NOT NULL,
    failed_count integer DEFAULT 0 NOT NULL,
    total_count integer DEFAULT 0 NOT NULL,
    created_delta integer,
    completed_delta integer,
    failed_delta integer,
    delta_seconds integer,
    delta_on timestamp with time zone,
    captured_on timestamp with time zone DEFAULT now() NOT NULL
)
PARTITION BY RANGE (captured_on);


--
-- Name: queue_stats_20261123; Type: TABLE; Schema: pgboss; Owner: -
--

CREATE TABLE pgboss.queue_stats_20261123 (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    deferred_count integer DEFAULT 0 NOT NULL,
    queued_count integer DEFAULT 0 NOT NULL,
    ready_count integer DEFAULT 0 NOT NULL,
    active_count integer DEFAULT 0 NOT NULL,
    failed_count integer DEFAULT 0 NOT NULL,
    total_count integer DEFAULT 0 NOT NULL,
    created_delta integer,
    completed_delta integer,
    failed_delta integer,
    delta_seconds integer,
    delta_on timestamp with time zone,
    captured_on timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: queue_stats_20261124; Type: TABLE; Schema: pgboss; Owner: -
--

CREATE TABLE pgboss.queue_stats_20261124 (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    deferred_count integer DEFAULT 0 NOT NULL,
    queued_count integer DEFAULT 0 NOT NULL,
    ready_count integer DEFAULT 0 NOT NULL,
    active_count integer DEFAULT 0 NOT NULL,
    failed_count integer DEFAULT 0 NOT NULL,
    total_count integer DEFAULT 0 NOT NULL,
    created_delta integer,
    completed_delta integer,
    failed_delta integer,
    delta_seconds integer,
    delta_on timestamp with time zone,
    captured_on timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: schedule; Type: TABLE; Schema: pgboss; Owner: -
--

CREATE TABLE pgboss.schedule (
    name text NOT NULL,
    key text DEFAULT ''::text NOT NULL,
    kind text DEFAULT 'cron'::text NOT NULL,
    cron text NOT NULL,
    timezone text DEFAULT 'UTC'::text,
    data jsonb,
    options jsonb,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    updated_on timestamp with time zone DEFAULT now() NOT NULL,
    last_job_id uuid,
    CONSTRAINT schedule_kind_check CHECK ((kind = ANY (ARRAY['cron'::text, 'rrule'::text])))
);


--
-- Name: subscription; Type: TABLE; Schema: pgboss; Owner: -
--

CREATE TABLE pgboss.subscription (
    event text NOT NULL,
    name text NOT NULL,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    updated_on timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: version; Type: TABLE; Schema: pgboss; Owner: -
--

CREATE TABLE pgboss.version (
    version integer NOT NULL,
    cron_on timestamp with time zone,
    bam_on timestamp with time zone,
    flow_on timestamp with time zone,
    reindex_on timestamp with time zone,
    monitor_backoff_on timestamp with time zone
);


--
-- Name: warning; Type: TABLE; Schema: pgboss; Owner: -
--

CREATE TABLE pgboss.warning (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    type text NOT NULL,
    message text NOT NULL,
    data jsonb,
    created_on timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: audit_log; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit_log (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    actor text NOT NULL,
    credential text NOT NULL,
    source text NOT NULL,
    act text NOT NULL,
    target text NOT NULL,
    detail json NOT NULL
);


--
-- Name: blob_chunks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.blob_chunks (
    blob_id uuid NOT NULL,
    seq integer NOT NULL,
    bytes bytea NOT NULL
);
ALTER TABLE ONLY public.blob_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;


--
-- Name: blobs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.blobs (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    size double precision,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: collection_parts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.collection_parts (
    collection_id uuid NOT NULL,
    run uuid NOT NULL,
    seq integer NOT NULL,
    first_number integer NOT NULL,
    count integer NOT NULL,
    summary json NOT NULL,
    bytes bytea NOT NULL
);
ALTER TABLE ONLY public.collection_parts ALTER COLUMN bytes SET STORAGE EXTERNAL;


--
-- Name: collections; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.collections (
    id uuid NOT NULL,
    user_id text NOT NULL,
    name text NOT NULL,
    description text NOT NULL,
    status text NOT NULL,
    file_name text NOT NULL,
    file_size double precision NOT NULL,
    file_sha256 text NOT NULL,
    file_blob uuid NOT NULL,
    reading json NOT NULL,
    options json,
    counts json,
    confidence text,
    confidence_counts json,
    confidence_reasons json,
    error_code text,
    error_detail text,
    task_id uuid,
    run uuid,
    report_blob uuid,
    idempotency_key text,
    fingerprint bytea,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    completed_at timestamp with time zone,
    mapping json,
    CONSTRAINT collections_status_check CHECK ((status = ANY (ARRAY['staged'::text, 'processing'::text, 'completed'::text, 'failed'::text, 'cancelled'::text])))
);


--
-- Name: email_attachments; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.email_attachments (
    email_id uuid NOT NULL,
    seq integer NOT NULL,
    filename text NOT NULL,
    content_type text NOT NULL,
    size double precision NOT NULL,
    sha256 text NOT NULL,
    blob_id uuid NOT NULL
);


--
-- Name: email_attempts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.email_attempts (
    email_id uuid NOT NULL,
    number integer NOT NULL,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    result text NOT NULL,
    detail text NOT NULL
);


--
-- Name: emails; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.emails (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    key text NOT NULL,
    kind text NOT NULL,
    user_id text NOT NULL,
    recipient text NOT NULL,
    subject text NOT NULL,
    body text NOT NULL,
    body_without_attachments text,
    state text NOT NULL,
    message_id text,
    attempt integer DEFAULT 0 NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    detail text,
    next_attempt_at timestamp with time zone DEFAULT now(),
    lease_owner uuid,
    lease_until timestamp with time zone,
    claimed_at timestamp with time zone,
    handed_over_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT emails_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'sending'::text, 'sent'::text, 'failed'::text, 'unknown'::text])))
);


--
-- Name: migrations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.migrations (
    version integer NOT NULL,
    name text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: rate_counts; Type: TABLE; Schema: public; Owner: -
--

CREATE UNLOGGED TABLE public.rate_counts (
    key text NOT NULL,
    used_1 integer NOT NULL,
    ends_1 timestamp with time zone NOT NULL,
    used_2 integer NOT NULL,
    ends_2 timestamp with time zone NOT NULL,
    allowed boolean NOT NULL
);


--
-- Name: secrets; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.secrets (
    name text NOT NULL,
    value bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: task_chunks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.task_chunks (
    task_id uuid NOT NULL,
    direction text NOT NULL,
    attempt integer NOT NULL,
    seq integer NOT NULL,
    bytes bytea NOT NULL,
    CONSTRAINT task_chunks_direction_check CHECK ((direction = ANY (ARRAY['input'::text, 'output'::text])))
);
ALTER TABLE ONLY public.task_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;


--
-- Name: task_turns; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.task_turns (
    user_id text NOT NULL,
    served_at timestamp with time zone NOT NULL
);


--
-- Name: tasks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.tasks (
    id uuid NOT NULL,
    kind text NOT NULL,
    user_id text NOT NULL,
    status text NOT NULL,
    params json NOT NULL,
    progress_done double precision DEFAULT 0 NOT NULL,
    progress_total double precision,
    attempt integer DEFAULT 0 NOT NULL,
    deaths integer DEFAULT 0 NOT NULL,
    lease_owner uuid,
    lease_until timestamp with time zone,
    ticket uuid,
    result_type text,
    result_chunks integer,
    error_code text,
    error_detail text,
    idempotency_key text,
    fingerprint bytea,
    retention_s double precision NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    finished_at timestamp with time zone,
    expires_at timestamp with time zone,
    input_blob uuid,
    progress_phase text,
    process_crashes integer DEFAULT 0 NOT NULL,
    crashes_of jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT tasks_status_check CHECK ((status = ANY (ARRAY['receiving'::text, 'processing'::text, 'completed'::text, 'failed'::text, 'cancelled'::text])))
);


--
-- Name: tokens; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.tokens (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    label text NOT NULL,
    scopes jsonb NOT NULL,
    hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    last_used_at timestamp with time zone,
    CONSTRAINT tokens_hash_check CHECK ((length(hash) = 32))
);


--
-- Name: traces_credentials; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.traces_credentials (
    user_id text NOT NULL,
    environment text NOT NULL,
    sealed text NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: traces_submissions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.traces_submissions (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id text NOT NULL,
    collection_id text NOT NULL,
    statement_number integer NOT NULL,
    kind text NOT NULL,
    environment text NOT NULL,
    internal_reference text NOT NULL,
    state text NOT NULL,
    change text,
    summary json NOT NULL,
    content_blob uuid NOT NULL,
    content_sha256 text NOT NULL,
    pending_blob uuid,
    pending_sha256 text,
    pending_summary json,
    uuid text,
    reference_number text,
    verification_number text,
    rejection_reason text,
    communication text,
    failure json,
    failures integer DEFAULT 0 NOT NULL,
    sends integer DEFAULT 0 NOT NULL,
    empty_answers integer DEFAULT 0 NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    lease_owner uuid,
    lease_until timestamp with time zone,
    handed_over_at timestamp with time zone,
    awaits_answer boolean DEFAULT false NOT NULL,
    queried_at timestamp with time zone,
    next_at timestamp with time zone DEFAULT now(),
    not_yet_available_at timestamp with time zone,
    available_at timestamp with time zone,
    idempotency_key text,
    fingerprint text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT traces_submissions_change_check CHECK ((change = ANY (ARRAY['amend'::text, 'retract'::text]))),
    CONSTRAINT traces_submissions_kind_check CHECK ((kind = ANY (ARRAY['dds'::text, 'sd'::text])))
);


--
-- Name: users; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.users (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    email text NOT NULL,
    password_hash text,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: webhook_attempts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhook_attempts (
    delivery_id uuid NOT NULL,
    number integer NOT NULL,
    started_at timestamp with time zone NOT NULL,
    duration_ms integer NOT NULL,
    status integer,
    reason text,
    detail text,
    address text,
    dns_ms integer,
    connect_ms integer,
    tls_ms integer,
    first_byte_ms integer,
    excerpt text,
    next_attempt_at timestamp with time zone
);


--
-- Name: webhook_deliveries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhook_deliveries (
    id uuid NOT NULL,
    event_id text NOT NULL,
    user_id text NOT NULL COLLATE pg_catalog."C",
    webhook_id uuid NOT NULL,
    url text NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    retries_left integer NOT NULL,
    next_attempt_at timestamp with time zone,
    token integer DEFAULT 0 NOT NULL,
    claims integer DEFAULT 0 NOT NULL,
    lease_owner uuid,
    lease_until timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT webhook_deliveries_check CHECK (((state = 'pending'::text) = (next_attempt_at IS NOT NULL))),
    CONSTRAINT webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text, 'cancelled'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0.02');


--
-- Name: webhook_events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhook_events (
    id text NOT NULL,
    user_id text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL,
    unique_key text,
    body text,
    created_at timestamp with time zone NOT NULL
);


--
-- Name: webhooks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhooks (
    id uuid NOT NULL,
    user_id text NOT NULL COLLATE pg_catalog."C",
    url text NOT NULL,
    host text NOT NULL,
    secret text NOT NULL,
    previous_secret text,
    previous_until timestamp with time zone,
    previous_first boolean DEFAULT false NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    paused_at timestamp with time zone,
    probe_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    events text[] DEFAULT '{batch_zonal_stats_complete,test_event}'::text[] NOT NULL,
    notice_email text
);


--
-- Name: job_common; Type: TABLE ATTACH; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.job ATTACH PARTITION pgboss.job_common DEFAULT;


--
-- Name: queue_stats_20261123; Type: TABLE ATTACH; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.queue_stats ATTACH PARTITION pgboss.queue_stats_20261123 FOR VALUES FROM ('2026-11-23 00:00:00+00') TO ('2026-11-24 00:00:00+00');


--
-- Name: queue_stats_20261124; Type: TABLE ATTACH; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.queue_stats ATTACH PARTITION pgboss.queue_stats_20261124 FOR VALUES FROM ('2026-11-24 00:00:00+00') TO ('2026-11-25 00:00:00+00');


--
-- Data for Name: bam; Type: TABLE DATA; Schema: pgboss; Owner: -
--



--
-- Data for Name: job_common; Type: TABLE DATA; Schema: pgboss; Owner: -
--

INSERT INTO pgboss.job_common VALUES
	('6feba18d-79fb-4935-b85a-f91d6c46b2f0', 'task.collection_batch', 0, '{"taskId": "fe223392-1961-4fa6-8e3a-5ca4c38b2350"}', 'created', 0, 0, 0, false, NULL, 900, 604800, NULL, NULL, NULL, NULL, '2026-11-23 18:07:36.827469+00', '2026-11-23 18:07:36.827469+00', NULL, NULL, '2036-11-20 18:07:36.827469+00', NULL, NULL, 'standard', NULL, NULL, false, false, 0, NULL, NULL, NULL, NULL, NULL, NULL);


--
-- Data for Name: job_dependency; Type: TABLE DATA; Schema: pgboss; Owner: -
--



--
-- Data for Name: queue; Type: TABLE DATA; Schema: pgboss; Owner: -
--

INSERT INTO pgboss.queue VALUES
	('task.collection_batch', 'standard', 2, 0, false, NULL, 900, 1209600, 604800, NULL, false, 'job_common', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, '{}', NULL, false, NULL, NULL, NULL, NULL, '2026-11-23 18:07:27.940278+00', '2026-11-23 18:07:27.940278+00');


--
-- Data for Name: queue_stats_20261123; Type: TABLE DATA; Schema: pgboss; Owner: -
--



--
-- Data for Name: queue_stats_20261124; Type: TABLE DATA; Schema: pgboss; Owner: -
--



--
-- Data for Name: schedule; Type: TABLE DATA; Schema: pgboss; Owner: -
--



--
-- Data for Name: subscription; Type: TABLE DATA; Schema: pgboss; Owner: -
--



--
-- Data for Name: version; Type: TABLE DATA; Schema: pgboss; Owner: -
--

INSERT INTO pgboss.version VALUES
	(43, NULL, '2026-11-23 18:07:23.408227+00', NULL, NULL, NULL);


--
-- Data for Name: warning; Type: TABLE DATA; Schema: pgboss; Owner: -
--



--
-- Data for Name: audit_log; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit_log VALUES
	('b46f6cf1-9321-4e83-8763-37b2835d839b', '2026-11-23 18:07:26.633563+00', 'ops@example', 'command', 'firstmile user add', 'user_added', 'ana@example.org', '{"args":["ana@example.org"],"options":{"password-stdin":true}}'),
	('8d837c44-ad66-44e0-a84c-8baf9f903772', '2026-11-23 18:07:27.632266+00', 'ops@example', 'command', 'firstmile token create', 'token_created', 'ana@example.org', '{"args":[],"options":{"user":"ana@example.org","label":"made up"}}'),
	('a344cd08-200b-4889-9630-5b93fc659acd', '2026-11-23 18:07:27.732775+00', 'bootstrap', 'bootstrap', '127.0.0.1', 'webhook_registered', 'bootstrap', '{"host":"127.0.0.1:9","events":["batch_zonal_stats_complete","test_event"]}');


--
-- Data for Name: blob_chunks; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.blob_chunks VALUES
	('96f20d05-d145-4e3a-bd8a-e0ca4f60e4f8', 0, '\x7b2274797065223a2246656174757265436f6c6c656374696f6e222c226665617475726573223a5b0a7b2274797065223a2246656174757265222c2270726f70657274696573223a7b226c6f636174696f6e5f6964223a22412d31222c22737570706c6965725f6e616d65223a22416e61204dc3ba6c7469706c6520e29895222c22636f6d6d6f646974795f74797065223a2270616c6d222c226c6f636174696f6e5f74797065223a22706c6f74222c22636f756e747279223a224d59227d2c2267656f6d65747279223a7b2274797065223a22506f6c79676f6e222c22636f6f7264696e61746573223a5b5b5b3130322e362c342e35385d2c5b3130322e3630342c342e35385d2c5b3130322e3630342c342e3538345d2c5b3130322e362c342e3538345d2c5b3130322e362c342e35385d5d5d7d7d2c0a7b2274797065223a2246656174757265222c2270726f70657274696573223a7b226c6f636174696f6e5f6964223a22412d32222c22737570706c6965725f6e616d65223a22e0ba9ae0bab8e0ba99e0baa1e0bab5222c22636f6d6d6f646974795f74797065223a2270616c6d222c226c6f636174696f6e5f74797065223a22706c6f74222c22636f756e747279223a224d59227d2c2267656f6d65747279223a7b2274797065223a22506f696e74222c22636f6f7264696e61746573223a5b3130322e3630372c342e3538365d7d7d2c0a7b2274797065223a2246656174757265222c2270726f70657274696573223a7b226c6f636174696f6e5f6964223a224d2d31222c226e616d65223a224b696c616e6720536177697420436f6e746f68222c22636f6d6d6f646974795f74797065223a2270616c6d222c226c6f636174696f6e5f74797065223a22666163696c697479222c22636f756e747279223a224d59227d2c2267656f6d65747279223a7b2274797065223a22506f696e74222c22636f6f7264696e61746573223a5b3130322e363132342c342e353832315d7d7d5d7d0a'),
	('eeacf520-4af4-4452-b9fd-ea9f1d742b74', 0, '\x7b2274797065223a2246656174757265436f6c6c656374696f6e222c226665617475726573223a5b0a7b2274797065223a2246656174757265222c2270726f70657274696573223a7b226c6f636174696f6e5f6964223a22412d31222c22737570706c6965725f6e616d65223a22416e61204dc3ba6c7469706c6520e29895222c22636f6d6d6f646974795f74797065223a2270616c6d222c226c6f636174696f6e5f74797065223a22706c6f74222c22636f756e747279223a224d59227d2c2267656f6d65747279223a7b2274797065223a22506f6c79676f6e222c22636f6f7264696e61746573223a5b5b5b3130322e362c342e35385d2c5b3130322e3630342c342e35385d2c5b3130322e3630342c342e3538345d2c5b3130322e362c342e3538345d2c5b3130322e362c342e35385d5d5d7d7d2c0a7b2274797065223a2246656174757265222c2270726f70657274696573223a7b226c6f636174696f6e5f6964223a22412d32222c22737570706c6965725f6e616d65223a22e0ba9ae0bab8e0ba99e0baa1e0bab5222c22636f6d6d6f646974795f74797065223a2270616c6d222c226c6f636174696f6e5f74797065223a22706c6f74222c22636f756e747279223a224d59227d2c2267656f6d65747279223a7b2274797065223a22506f696e74222c22636f6f7264696e61746573223a5b3130322e3630372c342e3538365d7d7d2c0a7b2274797065223a2246656174757265222c2270726f70657274696573223a7b226c6f636174696f6e5f6964223a224d2d31222c226e616d65223a224b696c616e6720536177697420436f6e746f68222c22636f6d6d6f646974795f74797065223a2270616c6d222c226c6f636174696f6e5f74797065223a22666163696c697479222c22636f756e747279223a224d59227d2c2267656f6d65747279223a7b2274797065223a22506f696e74222c22636f6f7264696e61746573223a5b3130322e363132342c342e353832315d7d7d5d7d0a');


--
-- Data for Name: blobs; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.blobs VALUES
	('96f20d05-d145-4e3a-bd8a-e0ca4f60e4f8', 733, '2026-11-23 18:07:27.904256+00'),
	('eeacf520-4af4-4452-b9fd-ea9f1d742b74', 733, '2026-11-23 18:07:36.781974+00');


--
-- Data for Name: collection_parts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.collection_parts VALUES
	('f63c188e-4107-4fa6-9f37-b362285b4305', '460f79ee-4cf5-4337-a0ff-7c3e9bc4b596', 0, 0, 3, '{"counts":{"locations":3,"plots":2,"facilities":1,"measured":2,"problems":0},"confidence":{"low":1,"medium":1,"high":1},"reasons":{"plots have a doubt in the check precision":2,"plots have a doubt in the check commodity":1,"plots fail the check deforestation":1,"plots have a doubt in the check area":1,"plots have a doubt in the check deforestation":1}}', '\x28b52ffd0058b56e00da99681a3b604b9a0e250826d4113fba72380058b3a111b15b46a29de4664d2e6949f624b38f0544ffc8af6a38850073ac6da346b69cd45d303f444a00179c0896018401a3014c497e8662463c9f251b753ecfb819e1ce803a3a414754e9a298e221c75f482920177ed649e99661facb6748c3e7b9655c28e6c66df97464283eca67e430422e0d53308ca2013d129f27091812b0608ba5c764d66219398ce4f34396f0279fffdd29e2d3307e37053b29dacfa5618be5eb489311cf85d2d1c06096954e74272543319f677c77f93b49a6513046b1d86219f18c900e931377401d65c9fe73a44ae333f408379da8e0e84b5e3fb81355958a569c6872fea8a391c3884ebc9634f44785a1c3ba09cf3b4260c003e4676a0e27e884a3b04dac8a7174e2f0f13c6e1d79fe3cefef87a1f4e0e64f9ca4d7ea283f70f27fb0a6692c0d8ca30b3d96e1aad2c82d2576f3288240823acacd9f876e3f65dd4ad037f9c3bc8edafe336c6d556905167490eca48ece020712729f833e20b793a4e95539373d4739da171fca281cd4d1d68f09479f3b42961c4aaa2a1010108bc552100ec6b2508d852da642850a8e3ec77ddda0fba34a9f4b28ce275060e4c859a22a42d40947194e7139a24aa33b491d6589f2c0f38efbb853b51c850c89a6a713016cb1f8a64763e8b19f47aab43d56662998a568d862ea68841bffa19a07bf76fc0b51f5e0e76d3b29f2e7f9d30947a3d4fc3074bd919d6c4611c91626bf5335397198af532dbf64e881e76dfc6e0f4a6cd7cf4662a7b40eb28443cfd6f90dc5fc85127ae2421232143dfde169274dedc19db4b790741b7594bc23f427e1960ec6b29014e0e714e4ebb72e9fe773bb7e97164ab60c5797fcce64e80175d4f5466eaaf47f2575f4a7b8f155453c0c453c0c3d108bd3d8f54650a50b93ffeb9e7cca7ec66e9c0430d862a922b792b4114fd0522e1c8b74ce2197c8ad94df19dd4902e45a562e4a974636e91c904b3a113279cba7805670f49fff327c4cdc29bfdb88a3addd4a3c94367654f2fa9f1f55108d25c9614b863cc9f6f81d3205c990a1494a9ec3497ea7e43514fd2197c670fae5287f53493402ed4d0e2551320c937172c8e677424f4393544db2c442f9ea19b69b24ef36ea875b36b2015551a58b7b64b8f9d649b91270a16c6f33821e3f15c38ea4934fd989db8cfef23b9f19bebb74c8e5e106cdb298056b3018b6345683a38a350ccdd23438160d8b666130381816c37230a661caee81fd2c1a5803b3348e2ec42cc6b1308c61590d6fe22f22bfd31f7259861b4ddd38628c3dc38d0f43f93a97e1e6666b0e8bece4888dd9dce4938c383ee523e891d7bb192787624f32be762937bf1fe888453c9ddb7cfe4d8ef625f45471b37184bb5b6892af33d31fe24e9e8ddd04932119fdbd7d322a900e73cf9b1ece4d8f6960e14206162e5c60e1c206162e6060e1026b30acf89a01a0528178b825078ef6b91d5c8ed841182f397c1c0dc61acb42f23a2ee4c712860c0dc662d6c2a0c08d1a4a902190095214eded733b16906364d702028153fc6eaaf26e9ff82c8c6f71dcb6d8620fe8719f6eaf75a28204abaa30d8628e6a8424cd90421dfd6ed6a2b1341c65e8cf53247ffb50623755958a8381d12c0d66c11673308ba96a18cc5ad662311c65308bbde7f17f236f882a880ac4822da698b55805470b78adaae2584c38ba09fcbb53154561c251491d55c560092cc37d3abeaa4a05a2528180cb14c5bf3b860bfda3b12a9e60745495429650a5ea68c46fa45047d9398cfc1bb72d0295273e6b986541f6237429b94dee79ddba65f487f52686b60e17d3b006c6d1e8c1b0b60c2956117185e2b5e2a58d0278c7cd2305476e03fce36d007554953216065b3c3ea4e9d1a6d8719daea5b1acc7732ba2f7e54cdc3e967872abf4f160204943f179e24ef2163296f550471d4bb063302c4b977fdc180b45254d19bf93c130a48a7816c674da3a7cc8c581f011d027a91e24ff946e1bc69fda6b1665a3a1a1c9f851aec564934b03930a82731da56be9417eb37f7efd1324e35b09760c93c9c51f438fb2e168240401b25998840e216783dbdec67fd016acc925cab59662e46b28f68465fc659771dd4ec864302c8bf23619f2a4d3f89fff37db4213064335ee484396488a8b70a574bef1bb1449184a24ab4a97b516269380644d2a8e68b72940aec52808cc83d4081a5440be46212380f02029307e4b18665248a7b101ea687c1c45fe30f380514fe0507a44e892aa0539ee4415f33cfb68cb12b84e1d6dd8b224af9beb09a26a3d6e0f48d2902aa65d52b558d633942a0de4f1b901197bb21452f2d6f5021218c618b65834cc5a9663d1c0c02c8d83590182c6a822748e4184149a19114992241d8208120c4602394fa3341f124040691048398c42c820650c218410111111111111919124c90303ee07594ab08da22b296157c370df39515274f1fa3c3cd78df85a624d0b217d5af12120b02d007a5061e6bded980c9c495d8ec4b263e326ab244639b52ce8acf738b676df764ea7e558dcacad5e78b53fe1b1f4fe8a98828e3f7aadb849caedb89093a2c9ed006ac0fced26248353a619a1af6cf1cd512fe4588a063331f2a21a4d49e4c015fdaa00989059cce12a3c7e837762f4273c990197a66ce0d75727808de2556ad0a19fb785e5ec84653e61acb026660b5f3c2b18a6a43ec63e8e6e54c83cc1753b865e3e2505cd45fdd7485d6d1230ad68a222622b54d40833e7886287c74442b31f1fb31cf871c5aa18febaee398dced296f5faf4169be99ba28dc33ab0b16267a9c308d5115b4ba1a52a71fe532ede2201deb978fe0257d94d5d55ee6f2410e486e6ae68959e26cb72361b51c90e6e77b6c11749d4c7f756542af854ef5bb6ad92c8c1349b1488c36a1035b91fb21a815ad81ffeef5aa5172f8e7697886544a1481ee51b0d6aeaf06c5ca278224538109151eb8c3a6e3f58e856d6b341955fa57e2b2a6861757136ee220ff8a56dae124a62f0cd78642440841c67b45be8fafd654f18d05e7424144c6551d10dd472757ec6ca76adc033f2d8b5bdb6ee135984d0e7af05fcb9b445a14aeeab0ef4210ac27ad09fe915d520784f050edfecc12a91d7567c866409e28f457a8b05afa3387f079c5e9b0fbaf1c45f10ebb276b4a70820857ed7b659d73e0933fa4cc82c7cd317e89dcc772754baf3d29a2c345f3b1fb59824334a5d75ed1d73da362a8515eb02dbed1cdb37f4c5eb808c2cd1ea3345c72a2d5ac59542a63d2de49044c16ec43635853d3cfb5ad7c2e1a81cc82d1259d5279b92860cb6a41a505449c113db491db37391f96550bd8330aac99beab8fa9ba0bdd4580c6009a86a644ccd8db51a0a4b9564f6ea3a27217f82a7a49eb042a864b4035b5485ad82b741aa681895b531bffd4aa37edc6d3e383c422fd41e726e970d7561d16eef4b144ca35eeb548f506a1ac10eed4a69a86a1785da6f20e7bfce06b964bd12d5054a51fb21006406d6c8d45292d67da6b6fb125a9468313435ac50b5348f043db546cdcad5c1fec7a8b2666d5567d1dde22a9ed54104528704c15d4600cb558e4c54b5da37586b5b5fb57b4aedcc2a49adbb927f2ef44bb5e43927b6edf62ab5ade34d85fadc13e1dd6a874fcc42da0a08ca08051d16b45b0a0adebb42a358e1d5b17dbbc6b42aa992eb606309290dc4c4890163ea7ae81b3ac1a0c8684eb43a7644916c27e8ee33248629bada482365de640abc8783b66931927839c88a2d648983b7c93ab6fc106b4b336deedee4721ef2c7cdbada30a343ac5ee5a5e412ce9b0c2a07d6f7b059d82a998353c82809188733dd7c6f90d4e85392774255074875a84341ad1fbd9174537dec976f4e112c4faa6a5863e556b58eae3ee44a88cc955cb777d1b5dba3a9b6d62c80362a4220d61af6d553d2d5b1967132a1fc54f79c2239c117e7ca2c8daf48b1258e6ff2c3cf2bf526b9b0c739943c245b20f26ff33935801d8b57cfbc1f4d771f10381933b5d8a710117bce227e5920fdf5e6437f8d69c44bc6237d2984a23b59220d99e6d30a0e53fb0db4a26e02709d1a29b2e5da6f7247b839a6f8ee84c4ef2bacd7379508c1b2789d7a1ef8ceeb4812eee06d5377226ac66570d84d600b34c21f3dc14b61a204816a5eeca471ad235c5b2748ad369787c96caf3a7d53729685b4716c045d227d8b88ad2823d5065aeaacb248a73d615afc4fed68f232665d15b41976dc90a075c8126d7621b07b18aa40df220e99ca184d063426c11776c346beafefe54f8cba447ed0b171726636c0c8a3b9b02e08affa15a860c61188f3ab8af85c66bb4d9e0011d8c5ccc405759354bcabf8c4b423bd96022a4a7f446b24a8fa7252afc124ed26864f1f8943675c5b17cdfb74ca81d900bee1009b571b9af0de79dd8f54bef2d072dedc98a307f555ae6ab008669882c9f55634ca0f52f68af9e5ae3e405d5c9ff72c0a116f1126b8c79d18735a7ce8912a03e6b2c2be97bbd90a87608f646137dc2010b3a14f81fd735dbfef79938b5c23b712da319ed9dae27a21119847948f14bc817fa4b4d25650a452e0ae1d99e9e9aad087f63248ba05246375ac3bf87c37c0da35b2fa72fc83f9a95fd02df646297cc932b1ae0c17a80eec5d15234f5451164c782713cc883f5f2973ee4382354eca8a98c15a195e405d333da1fbe71a8cbef4e468ab19cb3845c3e7ad6fb30e5900d06c859ce62a9158a6f5f54a1cfa0b9bf224c7e55834d47f88345008b936147ba885452399ed717481265788367161e074342e2ff8b3844f861d95f8a156816f8b1e2fdf20b7b386425493eb19a47303c215d39a0195323e76452a6c7b73bd583e7cb4e1eb8274a8f2778338577df471efc8a0d9384d48de6d094253a78be82d1703e1deffdf21fc7fd8312db2de2736ec34f4eb1a09920096c42c59c80c0d5e1c600a8ab07076fbb401');


--
-- Data for Name: collections; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.collections VALUES
	('f63c188e-4107-4fa6-9f37-b362285b4305', 'bootstrap', 'Lote de prueba', 'Made up', 'completed', 'plots.geojson', 733, '91ecc008ba86b1b551fb8ffa1b528f4bc5d88395a683101fc5ce71a3847e006a', '96f20d05-d145-4e3a-bd8a-e0ca4f60e4f8', '{"locations":{"locationType":null,"commodity":null,"country":null,"mapping":{},"geocode":true,"crs":null,"sheets":null},"facility":{"commodity":null,"commodityText":null,"commodityRadiusM":5000,"checkWater":false,"checkPort":false,"checkRoad":true,"checkTimeoutMs":10000}}', '{"cropType":null,"statistics":true,"validateLocations":true,"eudrDds":false,"monitoringStart":"2017-01-01","monitoringEnd":"2026-11-23"}', '{"locations":3,"plots":2,"facilities":1,"measured":2,"problems":0}', 'low', '{"low":1,"medium":1,"high":1}', '["2 plots have a doubt in the check precision.","1 plot fails the check deforestation.","1 plot has a doubt in the check area.","1 plot has a doubt in the check commodity.","1 plot has a doubt in the check deforestation."]', NULL, NULL, '460f79ee-4cf5-4337-a0ff-7c3e9bc4b596', '460f79ee-4cf5-4337-a0ff-7c3e9bc4b596', NULL, NULL, NULL, '2026-11-23 18:07:27.923545+00', '2026-11-23 18:07:31.166388+00', '[{"name":null,"header_row":null,"skipped":null,"columns":[{"column":"location_id","field":"location_id","confidence":1,"why":"The name is one for location_id and 100 % of the first 3 values fit."},{"column":"supplier_name","field":"supplier_name","confidence":1,"why":"The name is one for supplier_name and 100 % of the first 2 values fit."},{"column":"commodity_type","field":"commodity_type","confidence":1,"why":"The name is one for commodity_type and 100 % of the first 3 values fit."},{"column":"location_type","field":"location_type","confidence":1,"why":"The name is one for location_type and 100 % of the first 3 values fit."},{"column":"country","field":"country","confidence":1,"why":"The name is one for country and 100 % of the first 3 values fit."},{"column":"name","field":"name","confidence":0.98,"why":"The name is one for name and 100 % of the first 1 values fit."}]}]'),
	('7dd60505-bc7d-4212-ac42-8b51f19ec12d', 'bootstrap', 'Waiting', 'Made up', 'processing', 'plots.geojson', 733, '91ecc008ba86b1b551fb8ffa1b528f4bc5d88395a683101fc5ce71a3847e006a', 'eeacf520-4af4-4452-b9fd-ea9f1d742b74', '{"locations":{"locationType":null,"commodity":null,"country":null,"mapping":{},"geocode":true,"crs":null,"sheets":null},"facility":{"commodity":null,"commodityText":null,"commodityRadiusM":5000,"checkWater":false,"checkPort":false,"checkRoad":true,"checkTimeoutMs":10000}}', '{"cropType":null,"statistics":true,"validateLocations":true,"eudrDds":false,"monitoringStart":"2017-01-01","monitoringEnd":"2026-11-23"}', NULL, NULL, NULL, NULL, NULL, NULL, 'fe223392-1961-4fa6-8e3a-5ca4c38b2350', NULL, NULL, NULL, NULL, '2026-11-23 18:07:36.794274+00', NULL, '[{"name":null,"header_row":null,"skipped":null,"columns":[{"column":"location_id","field":"location_id","confidence":1,"why":"The name is one for location_id and 100 % of the first 3 values fit."},{"column":"supplier_name","field":"supplier_name","confidence":1,"why":"The name is one for supplier_name and 100 % of the first 2 values fit."},{"column":"commodity_type","field":"commodity_type","confidence":1,"why":"The name is one for commodity_type and 100 % of the first 3 values fit."},{"column":"location_type","field":"location_type","confidence":1,"why":"The name is one for location_type and 100 % of the first 3 values fit."},{"column":"country","field":"country","confidence":1,"why":"The name is one for country and 100 % of the first 3 values fit."},{"column":"name","field":"name","confidence":0.98,"why":"The name is one for name and 100 % of the first 1 values fit."}]}]');


--
-- Data for Name: email_attachments; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: email_attempts; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: emails; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.migrations VALUES
	(1, 'credentials', '2026-11-23 18:07:21.925224+00'),
	(2, 'tasks', '2026-11-23 18:07:21.925224+00'),
	(3, 'webhooks', '2026-11-23 18:07:21.925224+00'),
	(4, 'email', '2026-11-23 18:07:21.925224+00'),
	(5, 'collections', '2026-11-23 18:07:21.925224+00'),
	(6, 'batch events', '2026-11-23 18:07:21.925224+00'),
	(7, 'task turns', '2026-11-23 18:07:21.925224+00'),
	(8, 'collection mapping', '2026-11-23 18:07:21.925224+00'),
	(9, 'audit log', '2026-11-23 18:07:21.925224+00'),
	(10, 'process crashes', '2026-11-23 18:07:21.925224+00'),
	(11, 'suspects', '2026-11-23 18:07:21.925224+00'),
	(12, 'rate counts', '2026-11-23 18:07:21.925224+00'),
	(13, 'crashes of steps', '2026-11-23 18:07:21.925224+00'),
	(14, 'traces', '2026-11-23 18:07:21.925224+00');


--
-- Data for Name: rate_counts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.rate_counts VALUES
	('polls bootstrap', 7, '2026-11-23 18:08:28.002436+00', 7, '2026-11-23 18:08:28.002436+00', true),
	('bootstrap', 3, '2026-11-23 18:08:27.689218+00', 3, '2026-11-23 19:07:27.689218+00', true);


--
-- Data for Name: secrets; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: task_chunks; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.task_chunks VALUES
	('460f79ee-4cf5-4337-a0ff-7c3e9bc4b596', 'output', 1, 0, '\x7b22636f756e7473223a7b226c6f636174696f6e73223a332c22706c6f7473223a322c22666163696c6974696573223a312c226d65617375726564223a322c2270726f626c656d73223a307d2c22636f6e666964656e63655f636f756e7473223a7b226c6f77223a312c226d656469756d223a312c2268696768223a317d2c22636f6e666964656e63655f726561736f6e73223a5b223220706c6f74732068617665206120646f75627420696e2074686520636865636b20707265636973696f6e2e222c223120706c6f74206661696c732074686520636865636b206465666f726573746174696f6e2e222c223120706c6f7420686173206120646f75627420696e2074686520636865636b20617265612e222c223120706c6f7420686173206120646f75627420696e2074686520636865636b20636f6d6d6f646974792e222c223120706c6f7420686173206120646f75627420696e2074686520636865636b206465666f726573746174696f6e2e225d7d');


--
-- Data for Name: task_turns; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.task_turns VALUES
	('bootstrap', '2026-11-23 18:07:28.00871+00');


--
-- Data for Name: tasks; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.tasks VALUES
	('460f79ee-4cf5-4337-a0ff-7c3e9bc4b596', 'collection_batch', 'bootstrap', 'completed', '{"collectionId":"f63c188e-4107-4fa6-9f37-b362285b4305","collection":{"id":"f63c188e-4107-4fa6-9f37-b362285b4305","userId":"bootstrap","name":"Lote de prueba","description":"Made up","file":{"name":"plots.geojson","size":733,"sha256":"91ecc008ba86b1b551fb8ffa1b528f4bc5d88395a683101fc5ce71a3847e006a"},"createdAt":"2026-11-23T18:07:27.923Z"},"reading":{"locations":{"locationType":null,"commodity":null,"country":null,"mapping":{},"geocode":true,"crs":null,"sheets":null},"facility":{"commodity":null,"commodityText":null,"commodityRadiusM":5000,"checkWater":false,"checkPort":false,"checkRoad":true,"checkTimeoutMs":10000}},"email":null,"options":{"cropType":null,"statistics":true,"validateLocations":true,"eudrDds":false,"monitoringStart":"2017-01-01","monitoringEnd":"2026-11-23"}}', 3, 3, 1, 0, NULL, NULL, NULL, 'application/json', 1, NULL, NULL, NULL, NULL, 604800, '2026-11-23 18:07:27.971012+00', '2026-11-23 18:07:31.166388+00', '2026-11-30 18:07:31.166388+00', '96f20d05-d145-4e3a-bd8a-e0ca4f60e4f8', NULL, 0, '{}'),
	('fe223392-1961-4fa6-8e3a-5ca4c38b2350', 'collection_batch', 'bootstrap', 'processing', '{"collectionId":"7dd60505-bc7d-4212-ac42-8b51f19ec12d","collection":{"id":"7dd60505-bc7d-4212-ac42-8b51f19ec12d","userId":"bootstrap","name":"Waiting","description":"Made up","file":{"name":"plots.geojson","size":733,"sha256":"91ecc008ba86b1b551fb8ffa1b528f4bc5d88395a683101fc5ce71a3847e006a"},"createdAt":"2026-11-23T18:07:36.794Z"},"reading":{"locations":{"locationType":null,"commodity":null,"country":null,"mapping":{},"geocode":true,"crs":null,"sheets":null},"facility":{"commodity":null,"commodityText":null,"commodityRadiusM":5000,"checkWater":false,"checkPort":false,"checkRoad":true,"checkTimeoutMs":10000}},"email":null,"options":{"cropType":null,"statistics":true,"validateLocations":true,"eudrDds":false,"monitoringStart":"2017-01-01","monitoringEnd":"2026-11-23"}}', 0, NULL, 0, 0, NULL, NULL, '6feba18d-79fb-4935-b85a-f91d6c46b2f0', NULL, NULL, NULL, NULL, NULL, NULL, 604800, '2026-11-23 18:07:36.835622+00', NULL, NULL, 'eeacf520-4af4-4452-b9fd-ea9f1d742b74', NULL, 0, '{}');


--
-- Data for Name: tokens; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.tokens VALUES
	('ded45fa9-736c-4eaf-ab5c-9c312eb06a24', '3396f3c1-1c3b-49af-9fe4-bc2d443c1d36', 'made up', '["validate", "forest", "collections", "webhooks"]', '\x2b07fde201835f8d0a0763275ddfa595700e784a41f727ab2052c8d15de43058', '2026-11-23 18:07:27.624195+00', NULL, NULL, NULL);


--
-- Data for Name: traces_credentials; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: traces_submissions; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.users VALUES
	('55e638c2-98bf-4263-9eaa-e34a40410a5b', 'dev@localhost', NULL, '2026-11-23 18:07:23.005624+00'),
	('3396f3c1-1c3b-49af-9fe4-bc2d443c1d36', 'ana@example.org', '$scrypt$ln=15,r=8,p=3$Jhi2VJzSbB5X1fDofHC3+Q$5XgrPgZlAE4x68XjZ5D223ZcIUEQPcmgdCmEgTdZ4tA', '2026-11-23 18:07:26.623998+00');


--
-- Data for Name: webhook_attempts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.webhook_attempts VALUES
	('d55388aa-af28-4fa7-acd0-878589541481', 1, '2026-11-23 18:07:31.2+00', 1, NULL, 'connection_refused', 'The receiver refused the connection.', NULL, 0, NULL, NULL, NULL, NULL, '2026-11-23 18:07:41.230325+00');


--
-- Data for Name: webhook_deliveries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.webhook_deliveries VALUES
	('d55388aa-af28-4fa7-acd0-878589541481', 'evt_003db35ba96c4d5f8db1779df22d398a', 'bootstrap', '2f8e53e6-d359-42fd-b685-b162dd534b63', 'http://127.0.0.1:9/none', 'pending', 1, 2, '2026-11-23 18:07:41.230325+00', 1, 0, NULL, NULL, '2026-11-23 18:07:31.17+00', NULL);


--
-- Data for Name: webhook_events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.webhook_events VALUES
	('evt_003db35ba96c4d5f8db1779df22d398a', 'bootstrap', 'batch_zonal_stats_complete', 'batch 460f79ee-4cf5-4337-a0ff-7c3e9bc4b596', '{"created_at":"2026-11-23T18:07:31.170Z","data":{"collection_id":"f63c188e-4107-4fa6-9f37-b362285b4305","collection_name":"Lote de prueba","counts":{"facilities":1,"locations":3,"measured":2,"plots":2,"problems":0},"description":"Made up","locations_confidence":"low","urls":{"biodiversity":"http://127.0.0.1:18099/fetch_biodiversity?filename=f63c188e-4107-4fa6-9f37-b362285b4305&monitoring_start=2017-01-01&monitoring_end=2026-11-23","biomass_emissions":"http://127.0.0.1:18099/fetch_biomass_emissions?filename=f63c188e-4107-4fa6-9f37-b362285b4305&monitoring_start=2017-01-01&monitoring_end=2026-11-23","deforestation_check":"http://127.0.0.1:18099/fetch_deforestation_check?filename=f63c188e-4107-4fa6-9f37-b362285b4305&monitoring_start=2017-01-01&monitoring_end=2026-11-23","deforestation_check_eudr":"http://127.0.0.1:18099/fetch_deforestation_check?filename=f63c188e-4107-4fa6-9f37-b362285b4305&monitoring_start=2020-12-31&monitoring_end=2026-11-23","export_eudr_dds":"http://127.0.0.1:18099/export_eudr_dds?filename=f63c188e-4107-4fa6-9f37-b362285b4305&monitoring_start=2020-12-31&monitoring_end=2026-11-23"}},"id":"evt_003db35ba96c4d5f8db1779df22d398a","type":"batch_zonal_stats_complete"}', '2026-11-23 18:07:31.17+00');


--
-- Data for Name: webhooks; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.webhooks VALUES
	('2f8e53e6-d359-42fd-b685-b162dd534b63', 'bootstrap', 'http://127.0.0.1:9/none', '127.0.0.1', 'made-up.h5St4KL6Lpsduk0k.uTo_0fFR4aF8ACDQkqRLaQ.vsHaxio7MgWpI18ed9_71DfLNrrLhj4Xeb4mGmW6yN6caSxT8RY7RJf_-uxd-7GjZjQ', NULL, NULL, false, 0, NULL, NULL, '2026-11-23 18:07:27.701654+00', '{batch_zonal_stats_complete,test_event}', NULL);


--
-- Name: bam bam_pkey; Type: CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.bam
    ADD CONSTRAINT bam_pkey PRIMARY KEY (id);


--
-- Name: job job_pkey; Type: CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.job
    ADD CONSTRAINT job_pkey PRIMARY KEY (name, id);


--
-- Name: job_common job_common_pkey; Type: CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.job_common
    ADD CONSTRAINT job_common_pkey PRIMARY KEY (name, id);


--
-- Name: job_dependency job_dependency_pkey; Type: CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.job_dependency
    ADD CONSTRAINT job_dependency_pkey PRIMARY KEY (child_name, child_id, parent_name, parent_id);


--
-- Name: queue queue_pkey; Type: CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.queue
    ADD CONSTRAINT queue_pkey PRIMARY KEY (name);


--
-- Name: queue_stats queue_stats_pkey; Type: CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.queue_stats
    ADD CONSTRAINT queue_stats_pkey PRIMARY KEY (id, captured_on);


--
-- Name: queue_stats_20261123 queue_stats_20261123_pkey; Type: CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.queue_stats_20261123
    ADD CONSTRAINT queue_stats_20261123_pkey PRIMARY KEY (id, captured_on);


--
-- Name: queue_stats_20261124 queue_stats_20261124_pkey; Type: CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.queue_stats_20261124
    ADD CONSTRAINT queue_stats_20261124_pkey PRIMARY KEY (id, captured_on);


--
-- Name: schedule schedule_pkey; Type: CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.schedule
    ADD CONSTRAINT schedule_pkey PRIMARY KEY (name, key);


--
-- Name: subscription subscription_pkey; Type: CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.subscription
    ADD CONSTRAINT subscription_pkey PRIMARY KEY (event, name);


--
-- Name: version version_pkey; Type: CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.version
    ADD CONSTRAINT version_pkey PRIMARY KEY (version);


--
-- Name: warning warning_pkey; Type: CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.warning
    ADD CONSTRAINT warning_pkey PRIMARY KEY (id);


--
-- Name: audit_log audit_log_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);


--
-- Name: blob_chunks blob_chunks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.blob_chunks
    ADD CONSTRAINT blob_chunks_pkey PRIMARY KEY (blob_id, seq);


--
-- Name: blobs blobs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.blobs
    ADD CONSTRAINT blobs_pkey PRIMARY KEY (id);


--
-- Name: collection_parts collection_parts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.collection_parts
    ADD CONSTRAINT collection_parts_pkey PRIMARY KEY (run, seq);


--
-- Name: collections collections_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.collections
    ADD CONSTRAINT collections_pkey PRIMARY KEY (id);


--
-- Name: email_attachments email_attachments_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.email_attachments
    ADD CONSTRAINT email_attachments_pkey PRIMARY KEY (email_id, seq);


--
-- Name: email_attempts email_attempts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.email_attempts
    ADD CONSTRAINT email_attempts_pkey PRIMARY KEY (email_id, number);


--
-- Name: emails emails_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.emails
    ADD CONSTRAINT emails_key_key UNIQUE (key);


--
-- Name: emails emails_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.emails
    ADD CONSTRAINT emails_pkey PRIMARY KEY (id);


--
-- Name: migrations migrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (version);


--
-- Name: rate_counts rate_counts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rate_counts
    ADD CONSTRAINT rate_counts_pkey PRIMARY KEY (key);


--
-- Name: secrets secrets_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.secrets
    ADD CONSTRAINT secrets_pkey PRIMARY KEY (name);


--
-- Name: task_chunks task_chunks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.task_chunks
    ADD CONSTRAINT task_chunks_pkey PRIMARY KEY (task_id, direction, attempt, seq);


--
-- Name: task_turns task_turns_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.task_turns
    ADD CONSTRAINT task_turns_pkey PRIMARY KEY (user_id);


--
-- Name: tasks tasks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_pkey PRIMARY KEY (id);


--
-- Name: tokens tokens_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_hash_key UNIQUE (hash);


--
-- Name: tokens tokens_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (id);


--
-- Name: traces_credentials traces_credentials_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.traces_credentials
    ADD CONSTRAINT traces_credentials_pkey PRIMARY KEY (user_id, environment);


--
-- Name: traces_submissions traces_submissions_internal_reference_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.traces_submissions
    ADD CONSTRAINT traces_submissions_internal_reference_key UNIQUE (internal_reference);


--
-- Name: traces_submissions traces_submissions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.traces_submissions
    ADD CONSTRAINT traces_submissions_pkey PRIMARY KEY (id);


--
-- Name: traces_submissions traces_submissions_user_id_idempotency_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.traces_submissions
    ADD CONSTRAINT traces_submissions_user_id_idempotency_key_key UNIQUE (user_id, idempotency_key);


--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);


--
-- Name: webhook_attempts webhook_attempts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_attempts
    ADD CONSTRAINT webhook_attempts_pkey PRIMARY KEY (delivery_id, number);


--
-- Name: webhook_deliveries webhook_deliveries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id);


--
-- Name: webhook_events webhook_events_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_events
    ADD CONSTRAINT webhook_events_once UNIQUE (unique_key);


--
-- Name: webhook_events webhook_events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_events
    ADD CONSTRAINT webhook_events_pkey PRIMARY KEY (id);


--
-- Name: webhooks webhooks_one_a_user; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_one_a_user UNIQUE (user_id);


--
-- Name: webhooks webhooks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);


--
-- Name: job_common_i1; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE UNIQUE INDEX job_common_i1 ON pgboss.job_common USING btree (name, COALESCE(singleton_key, ''::text)) WHERE ((state = 'created'::pgboss.job_state) AND (policy = 'short'::text));


--
-- Name: job_common_i10; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE INDEX job_common_i10 ON pgboss.job_common USING btree (name, singleton_key, state DESC, created_on, id) INCLUDE (start_after) WHERE ((state < 'active'::pgboss.job_state) AND (NOT blocked) AND (policy = 'key_strict_fifo'::text));


--
-- Name: job_common_i11; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE INDEX job_common_i11 ON pgboss.job_common USING btree (name, priority DESC, created_on, start_after) WHERE ((state < 'active'::pgboss.job_state) AND (NOT blocked));


--
-- Name: job_common_i12; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE INDEX job_common_i12 ON pgboss.job_common USING btree (source_root_id) WHERE (source_root_id IS NOT NULL);


--
-- Name: job_common_i2; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE UNIQUE INDEX job_common_i2 ON pgboss.job_common USING btree (name, COALESCE(singleton_key, ''::text)) WHERE ((state = 'active'::pgboss.job_state) AND (policy = 'singleton'::text));


--
-- Name: job_common_i3; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE UNIQUE INDEX job_common_i3 ON pgboss.job_common USING btree (name, state, COALESCE(singleton_key, ''::text)) WHERE ((state <= 'active'::pgboss.job_state) AND (policy = 'stately'::text));


--
-- Name: job_common_i4; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE UNIQUE INDEX job_common_i4 ON pgboss.job_common USING btree (name, singleton_on, COALESCE(singleton_key, ''::text)) WHERE ((state <> 'cancelled'::pgboss.job_state) AND (singleton_on IS NOT NULL));


--
-- Name: job_common_i6; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE UNIQUE INDEX job_common_i6 ON pgboss.job_common USING btree (name, COALESCE(singleton_key, ''::text)) WHERE ((state <= 'active'::pgboss.job_state) AND (policy = 'exclusive'::text));


--
-- Name: job_common_i7; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE INDEX job_common_i7 ON pgboss.job_common USING btree (name, group_id) WHERE ((state = 'active'::pgboss.job_state) AND (group_id IS NOT NULL));


--
-- Name: job_common_i8; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE UNIQUE INDEX job_common_i8 ON pgboss.job_common USING btree (name, singleton_key) WHERE ((state = ANY (ARRAY['active'::pgboss.job_state, 'retry'::pgboss.job_state, 'failed'::pgboss.job_state])) AND (policy = 'key_strict_fifo'::text));


--
-- Name: job_common_i9; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE INDEX job_common_i9 ON pgboss.job_common USING btree (name, id) WHERE (blocking AND (state = 'completed'::pgboss.job_state));


--
-- Name: job_dep_parent_idx; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE INDEX job_dep_parent_idx ON pgboss.job_dependency USING btree (parent_name, parent_id);


--
-- Name: queue_stats_i1; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE INDEX queue_stats_i1 ON ONLY pgboss.queue_stats USING btree (name, captured_on DESC) INCLUDE (deferred_count, queued_count, ready_count, active_count, failed_count, total_count);


--
-- Name: queue_stats_20261123_name_captured_on_deferred_count_queued_idx; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE INDEX queue_stats_20261123_name_captured_on_deferred_count_queued_idx ON pgboss.queue_stats_20261123 USING btree (name, captured_on DESC) INCLUDE (deferred_count, queued_count, ready_count, active_count, failed_count, total_count);


--
-- Name: queue_stats_20261124_name_captured_on_deferred_count_queued_idx; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE INDEX queue_stats_20261124_name_captured_on_deferred_count_queued_idx ON pgboss.queue_stats_20261124 USING btree (name, captured_on DESC) INCLUDE (deferred_count, queued_count, ready_count, active_count, failed_count, total_count);


--
-- Name: warning_i1; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE INDEX warning_i1 ON pgboss.warning USING btree (created_on DESC);


--
-- Name: audit_log_newest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_log_newest ON public.audit_log USING btree (at DESC, id DESC);


--
-- Name: collection_parts_of; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX collection_parts_of ON public.collection_parts USING btree (collection_id);


--
-- Name: collections_idempotency; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX collections_idempotency ON public.collections USING btree (user_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);


--
-- Name: collections_of_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX collections_of_user ON public.collections USING btree (user_id, created_at DESC, id DESC);


--
-- Name: collections_task; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX collections_task ON public.collections USING btree (task_id) WHERE (task_id IS NOT NULL);


--
-- Name: emails_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX emails_due ON public.emails USING btree (next_attempt_at) WHERE (state = 'pending'::text);


--
-- Name: emails_finished; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX emails_finished ON public.emails USING btree (finished_at) WHERE (finished_at IS NOT NULL);


--
-- Name: emails_leased; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX emails_leased ON public.emails USING btree (lease_until) WHERE (state = 'sending'::text);


--
-- Name: emails_newest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX emails_newest ON public.emails USING btree (created_at DESC, id DESC);


--
-- Name: rate_counts_ends; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rate_counts_ends ON public.rate_counts USING btree (GREATEST(ends_1, ends_2));


--
-- Name: tasks_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tasks_expiry ON public.tasks USING btree (expires_at) WHERE (expires_at IS NOT NULL);


--
-- Name: tasks_idempotency; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX tasks_idempotency ON public.tasks USING btree (user_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);


--
-- Name: tasks_leased; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tasks_leased ON public.tasks USING btree (lease_until) WHERE (lease_until IS NOT NULL);


--
-- Name: tasks_of_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tasks_of_user ON public.tasks USING btree (user_id, created_at DESC, id DESC);


--
-- Name: tasks_receiving; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tasks_receiving ON public.tasks USING btree (created_at) WHERE (status = 'receiving'::text);


--
-- Name: tasks_unfinished; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tasks_unfinished ON public.tasks USING btree (id) WHERE (status = 'processing'::text);


--
-- Name: tasks_waiting; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tasks_waiting ON public.tasks USING btree (kind, created_at) WHERE ((status = 'processing'::text) AND (lease_until IS NULL));


--
-- Name: tokens_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tokens_user ON public.tokens USING btree (user_id);


--
-- Name: traces_submissions_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX traces_submissions_due ON public.traces_submissions USING btree (next_at) WHERE (next_at IS NOT NULL);


--
-- Name: traces_submissions_live; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX traces_submissions_live ON public.traces_submissions USING btree (user_id, collection_id, statement_number, kind, environment) WHERE (state <> ALL (ARRAY['refused'::text, 'cancelled'::text, 'rejected'::text, 'withdrawn'::text, 'obsolete'::text]));


--
-- Name: traces_submissions_newest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX traces_submissions_newest ON public.traces_submissions USING btree (user_id, created_at DESC, id DESC);


--
-- Name: traces_submissions_of; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX traces_submissions_of ON public.traces_submissions USING btree (user_id, collection_id, created_at DESC);


--
-- Name: users_email; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX users_email ON public.users USING btree (lower(email));


--
-- Name: webhook_deliveries_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (next_attempt_at) WHERE ((state = 'pending'::text) AND (next_attempt_at < 'infinity'::timestamp with time zone));


--
-- Name: webhook_deliveries_finished; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_deliveries_finished ON public.webhook_deliveries USING btree (finished_at) WHERE (finished_at IS NOT NULL);


--
-- Name: webhook_deliveries_held; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_deliveries_held ON public.webhook_deliveries USING btree (webhook_id, created_at) WHERE ((state = 'pending'::text) AND (next_attempt_at = 'infinity'::timestamp with time zone));


--
-- Name: webhook_deliveries_of_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_deliveries_of_user ON public.webhook_deliveries USING btree (user_id, created_at DESC, id DESC);


--
-- Name: webhook_deliveries_waiting; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_deliveries_waiting ON public.webhook_deliveries USING btree (user_id, next_attempt_at) WHERE (state = 'pending'::text);


--
-- Name: webhooks_probe; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhooks_probe ON public.webhooks USING btree (probe_at) WHERE (paused_at IS NOT NULL);


--
-- Name: job_common_pkey; Type: INDEX ATTACH; Schema: pgboss; Owner: -
--

ALTER INDEX pgboss.job_pkey ATTACH PARTITION pgboss.job_common_pkey;


--
-- Name: queue_stats_20261123_name_captured_on_deferred_count_queued_idx; Type: INDEX ATTACH; Schema: pgboss; Owner: -
--

ALTER INDEX pgboss.queue_stats_i1 ATTACH PARTITION pgboss.queue_stats_20261123_name_captured_on_deferred_count_queued_idx;


--
-- Name: queue_stats_20261123_pkey; Type: INDEX ATTACH; Schema: pgboss; Owner: -
--

ALTER INDEX pgboss.queue_stats_pkey ATTACH PARTITION pgboss.queue_stats_20261123_pkey;


--
-- Name: queue_stats_20261124_name_captured_on_deferred_count_queued_idx; Type: INDEX ATTACH; Schema: pgboss; Owner: -
--

ALTER INDEX pgboss.queue_stats_i1 ATTACH PARTITION pgboss.queue_stats_20261124_name_captured_on_deferred_count_queued_idx;


--
-- Name: queue_stats_20261124_pkey; Type: INDEX ATTACH; Schema: pgboss; Owner: -
--

ALTER INDEX pgboss.queue_stats_pkey ATTACH PARTITION pgboss.queue_stats_20261124_pkey;


--
-- Name: job_common dlq_fkey; Type: FK CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.job_common
    ADD CONSTRAINT dlq_fkey FOREIGN KEY (dead_letter) REFERENCES pgboss.queue(name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED;


--
-- Name: job_common q_fkey; Type: FK CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.job_common
    ADD CONSTRAINT q_fkey FOREIGN KEY (name) REFERENCES pgboss.queue(name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED;


--
-- Name: queue queue_dead_letter_fkey; Type: FK CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.queue
    ADD CONSTRAINT queue_dead_letter_fkey FOREIGN KEY (dead_letter) REFERENCES pgboss.queue(name);


--
-- Name: schedule schedule_name_fkey; Type: FK CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.schedule
    ADD CONSTRAINT schedule_name_fkey FOREIGN KEY (name) REFERENCES pgboss.queue(name) ON DELETE CASCADE;


--
-- Name: subscription subscription_name_fkey; Type: FK CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.subscription
    ADD CONSTRAINT subscription_name_fkey FOREIGN KEY (name) REFERENCES pgboss.queue(name) ON DELETE CASCADE;


--
-- Name: blob_chunks blob_chunks_blob_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.blob_chunks
    ADD CONSTRAINT blob_chunks_blob_id_fkey FOREIGN KEY (blob_id) REFERENCES public.blobs(id) ON DELETE CASCADE;


--
-- Name: collection_parts collection_parts_collection_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.collection_parts
    ADD CONSTRAINT collection_parts_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES public.collections(id) ON DELETE CASCADE;


--
-- Name: email_attachments email_attachments_email_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.email_attachments
    ADD CONSTRAINT email_attachments_email_id_fkey FOREIGN KEY (email_id) REFERENCES public.emails(id) ON DELETE CASCADE;


--
-- Name: email_attempts email_attempts_email_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.email_attempts
    ADD CONSTRAINT email_attempts_email_id_fkey FOREIGN KEY (email_id) REFERENCES public.emails(id) ON DELETE CASCADE;


--
-- Name: task_chunks task_chunks_task_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.task_chunks
    ADD CONSTRAINT task_chunks_task_id_fkey FOREIGN KEY (task_id) REFERENCES public.tasks(id) ON DELETE CASCADE;


--
-- Name: tokens tokens_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- PostgreSQL database dump complete
--


