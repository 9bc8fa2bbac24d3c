select exists (select from pg_locks
               where locktype = 'advisory' and granted and pid = pg_backend_pid() and objsubid = 1
                 and (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0))
