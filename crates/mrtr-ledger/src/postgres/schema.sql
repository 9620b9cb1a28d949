-- The rules of a ledger; `mrtr` stands for the name of the schema.
--
-- Each function is one statement to its caller, so that it is a transaction that no client can
-- hold open. They expect READ COMMITTED: each statement sees what others have committed.

-- One table for everything, so that whoever empties it empties the epoch with it.
CREATE TABLE IF NOT EXISTS mrtr.ledger (
    kind   text        NOT NULL CHECK (kind IN ('epoch', 'run', 'once', 'journal')),
    key    bytea       NOT NULL CHECK (octet_length(key) = 16),
    run    bytea       CHECK (octet_length(run) = 16),
    fence  bytea       CHECK (octet_length(fence) = 16),
    lease  timestamptz,
    pinned boolean     NOT NULL DEFAULT false,
    value  bytea,
    until  timestamptz NOT NULL,
    PRIMARY KEY (kind, key)
);
-- sealed bytes do not compress
ALTER TABLE mrtr.ledger ALTER COLUMN value SET STORAGE EXTERNAL;
CREATE INDEX IF NOT EXISTS ledger_until ON mrtr.ledger (until);

CREATE OR REPLACE FUNCTION mrtr.after(now timestamptz, millis bigint) RETURNS timestamptz
LANGUAGE sql STABLE AS $$
    SELECT now + millis * interval '1 millisecond'
$$;

-- What is left of a lease, in milliseconds and more than nothing.
CREATE OR REPLACE FUNCTION mrtr.remaining(lease timestamptz, now timestamptz) RETURNS bigint
LANGUAGE sql STABLE AS $$
    SELECT ceil(extract(epoch FROM lease - now) * 1000)::bigint
$$;

-- Removes a few rows that are gone; waits for nobody.
CREATE OR REPLACE FUNCTION mrtr.sweep() RETURNS void
LANGUAGE sql AS $$
    DELETE FROM mrtr.ledger WHERE (kind, key) IN (
        SELECT kind, key FROM mrtr.ledger WHERE until <= clock_timestamp()
        ORDER BY until LIMIT 4 FOR UPDATE SKIP LOCKED
    )
$$;

CREATE OR REPLACE FUNCTION mrtr.epoch(offered bytea,
    OUT answer text, OUT remaining bigint, OUT sealed bytea)
LANGUAGE plpgsql AS $$
BEGIN
    answer := 'epoch';
    LOOP
        SELECT value INTO sealed FROM mrtr.ledger WHERE kind = 'epoch';
        EXIT WHEN FOUND;
        INSERT INTO mrtr.ledger (kind, key, value, until)
            VALUES ('epoch', decode(repeat('00', 16), 'hex'), offered, 'infinity')
            ON CONFLICT DO NOTHING;
    END LOOP;
END $$;

CREATE OR REPLACE FUNCTION mrtr.claim(
    epoch bytea, state bytea, new_run bytea, new_fence bytea, new_lease bigint, keep bigint,
    OUT answer text, OUT remaining bigint, OUT sealed bytea)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    old mrtr.ledger;
    now timestamptz;
BEGIN
    PERFORM FROM mrtr.ledger WHERE kind = 'epoch' AND value = epoch;
    IF NOT FOUND THEN answer := 'forgotten'; RETURN; END IF;
    LOOP
        SELECT * INTO old FROM mrtr.ledger WHERE kind = 'run' AND key = state;
        now := clock_timestamp();
        IF NOT FOUND THEN
            INSERT INTO mrtr.ledger (kind, key, run, fence, lease, until)
                VALUES ('run', state, new_run, new_fence,
                    mrtr.after(now, new_lease), mrtr.after(now, keep))
                ON CONFLICT DO NOTHING;
        ELSE
            IF old.until > now THEN
                IF old.value IS NOT NULL AND old.run = new_run THEN
                    answer := 'done'; sealed := old.value; RETURN;
                ELSIF old.value IS NOT NULL THEN
                    answer := 'consumed'; RETURN;
                ELSIF old.fence <> new_fence AND old.pinned AND old.run <> new_run THEN
                    answer := 'consumed'; RETURN;
                ELSIF old.fence <> new_fence AND old.lease > now THEN
                    answer := 'running'; remaining := mrtr.remaining(old.lease, now); RETURN;
                END IF;
            END IF;
            -- the same conditions, since somebody may have been faster
            UPDATE mrtr.ledger SET
                run = new_run, fence = new_fence, value = NULL,
                pinned = pinned AND until > now,
                lease = mrtr.after(now, new_lease), until = mrtr.after(now, keep)
            WHERE kind = 'run' AND key = state AND (
                until <= now OR value IS NULL AND (
                    fence = new_fence OR lease <= now AND (run = new_run OR NOT pinned)));
        END IF;
        IF FOUND THEN PERFORM mrtr.sweep(); answer := 'granted'; RETURN; END IF;
    END LOOP;
END $$;

CREATE OR REPLACE FUNCTION mrtr.renew_run(state bytea, holder bytea, new_lease bigint,
    OUT answer text, OUT remaining bigint, OUT sealed bytea)
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE mrtr.ledger SET lease = mrtr.after(clock_timestamp(), new_lease)
        WHERE kind = 'run' AND key = state AND fence = holder AND value IS NULL
            AND until > clock_timestamp();
    answer := CASE WHEN FOUND THEN 'held' ELSE 'lost' END;
END $$;

CREATE OR REPLACE FUNCTION mrtr.finish(state bytea, holder bytea, result bytea,
    OUT answer text, OUT remaining bigint, OUT sealed bytea)
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE mrtr.ledger SET value = coalesce(value, result)
        WHERE kind = 'run' AND key = state AND fence = holder AND until > clock_timestamp();
    answer := CASE WHEN FOUND THEN 'held' ELSE 'lost' END;
END $$;

CREATE OR REPLACE FUNCTION mrtr.release(state bytea, holder bytea,
    OUT answer text, OUT remaining bigint, OUT sealed bytea)
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE mrtr.ledger SET lease = clock_timestamp()
        WHERE kind = 'run' AND key = state AND fence = holder AND value IS NULL
            AND until > clock_timestamp();
    answer := 'released';
END $$;

CREATE OR REPLACE FUNCTION mrtr.enter(
    epoch bytea, body bytea, state bytea, new_fence bytea, new_lease bigint, keep bigint,
    OUT answer text, OUT remaining bigint, OUT sealed bytea)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    old record;
    now timestamptz;
BEGIN
    PERFORM FROM mrtr.ledger WHERE kind = 'epoch' AND value = epoch;
    IF NOT FOUND THEN answer := 'forgotten'; RETURN; END IF;
    LOOP
        now := clock_timestamp();
        SELECT once.*, state IS NULL OR EXISTS (
                SELECT FROM mrtr.ledger AS run WHERE run.kind = 'run' AND run.key = state
                    AND run.fence = new_fence AND run.value IS NULL AND run.until > now
            ) AS held
            INTO old FROM (VALUES (true)) AS always
            LEFT JOIN mrtr.ledger AS once
                ON once.kind = 'once' AND once.key = body AND once.until > now;
        IF NOT old.held THEN
            answer := 'lost'; RETURN;
        ELSIF old.value IS NOT NULL THEN
            answer := 'recorded'; sealed := old.value; RETURN;
        ELSIF old.fence <> new_fence AND old.lease > now THEN
            answer := 'busy'; remaining := mrtr.remaining(old.lease, now); RETURN;
        ELSIF old.fence <> new_fence THEN
            answer := 'unknown'; RETURN;
        END IF;
        -- the same conditions, since somebody may have been faster; always the run's row first
        IF state IS NOT NULL THEN
            PERFORM FROM mrtr.ledger WHERE kind = 'run' AND key = state
                AND fence = new_fence AND value IS NULL AND until > now FOR UPDATE;
            CONTINUE WHEN NOT FOUND;
        END IF;
        INSERT INTO mrtr.ledger AS once (kind, key, fence, lease, until)
            VALUES ('once', body, new_fence, mrtr.after(now, new_lease), mrtr.after(now, keep))
            ON CONFLICT (kind, key) DO UPDATE SET fence = excluded.fence, value = NULL,
                lease = excluded.lease, until = excluded.until
            WHERE once.until <= now OR once.fence = new_fence AND once.value IS NULL;
        CONTINUE WHEN NOT FOUND;
        UPDATE mrtr.ledger SET pinned = true
            WHERE kind = 'run' AND key = state AND NOT pinned;
        PERFORM mrtr.sweep();
        answer := 'begin'; RETURN;
    END LOOP;
END $$;

CREATE OR REPLACE FUNCTION mrtr.renew_once(body bytea, holder bytea, new_lease bigint,
    OUT answer text, OUT remaining bigint, OUT sealed bytea)
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE mrtr.ledger SET lease = mrtr.after(clock_timestamp(), new_lease)
        WHERE kind = 'once' AND key = body AND fence = holder AND value IS NULL
            AND until > clock_timestamp();
    answer := CASE WHEN FOUND THEN 'held' ELSE 'lost' END;
END $$;

CREATE OR REPLACE FUNCTION mrtr.record(body bytea, new_value bytea,
    OUT answer text, OUT remaining bigint, OUT sealed bytea)
LANGUAGE plpgsql AS $$
BEGIN
    LOOP
        UPDATE mrtr.ledger SET value = new_value
            WHERE kind = 'once' AND key = body AND value IS NULL AND until > clock_timestamp();
        IF FOUND THEN answer := 'stored'; RETURN; END IF;
        SELECT value INTO sealed FROM mrtr.ledger
            WHERE kind = 'once' AND key = body AND until > clock_timestamp();
        IF NOT FOUND THEN answer := 'gone'; RETURN; END IF;
        -- without a value: entered meanwhile
        IF sealed = new_value THEN answer := 'stored'; sealed := NULL; RETURN; END IF;
        IF sealed IS NOT NULL THEN answer := 'already'; RETURN; END IF;
    END LOOP;
END $$;

CREATE OR REPLACE FUNCTION mrtr.keep_journal(name bytea, new_value bytea, keep bigint,
    OUT answer text, OUT remaining bigint, OUT sealed bytea)
LANGUAGE plpgsql AS $$
DECLARE
    now timestamptz := clock_timestamp();
BEGIN
    INSERT INTO mrtr.ledger AS journal (kind, key, value, until)
        VALUES ('journal', name, new_value, mrtr.after(now, keep))
        ON CONFLICT (kind, key) DO UPDATE SET until = excluded.until,
            value = CASE WHEN journal.until > now THEN journal.value ELSE excluded.value END
        WHERE journal.until < excluded.until;
    PERFORM mrtr.sweep();
    answer := 'kept';
END $$;

CREATE OR REPLACE FUNCTION mrtr.journal(name bytea,
    OUT answer text, OUT remaining bigint, OUT sealed bytea)
LANGUAGE plpgsql AS $$
BEGIN
    SELECT value INTO sealed FROM mrtr.ledger
        WHERE kind = 'journal' AND key = name AND until > clock_timestamp();
    answer := CASE WHEN FOUND THEN 'journal' ELSE 'gone' END;
END $$;

-- Last, so that it says that all the rest is there.
CREATE OR REPLACE FUNCTION mrtr.version() RETURNS integer
LANGUAGE sql IMMUTABLE AS $$ SELECT 1 $$;
