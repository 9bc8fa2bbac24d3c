local begin, commit = script("begin", "begin\n"), script("commit", "commit\n")
local rollback = script("rollback", "rollback\n")
local try = script("try-advisory", "select pg_try_advisory_lock(hashtextextended($1, 0))\n")
local unlock = script("unlock-advisory", "select pg_advisory_unlock(hashtextextended($1, 0))\n")
local try_xact = script("try-advisory-xact", "select pg_try_advisory_xact_lock(hashtextextended($1, 0))\n")
local holds = script("holds-advisory", [[
select exists (select from pg_locks
               where locktype = 'advisory' and granted and pid = pg_backend_pid() and objsubid = 1
                 and (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0))
]])
local take = script("take-row", [[
insert into leases (name, owner, until, fence)
values ($1, $2, clock_timestamp() + $3::int * interval '1 millisecond', 1)
on conflict (name) do update
set owner = $2, until = clock_timestamp() + $3::int * interval '1 millisecond', fence = leases.fence + 1
where leases.until < clock_timestamp()
returning fence
]])
local give = script("give-row", [[
update leases set until = '-infinity' where name = $1 and owner = $2 returning fence
]])
local next_fence = script("next-fence", [[
insert into fences (name, last) values ($1, 1)
on conflict (name) do update set last = fences.last + 1
returning last
]])
local take_by_client = script("take-row-client-time", [[
insert into leases (name, owner, until, fence)
values ($1, $2, to_timestamp($4::bigint / 1000.0), 1)
on conflict (name) do update
set owner = $2, until = to_timestamp($4::bigint / 1000.0), fence = leases.fence + 1
where leases.until <= to_timestamp($3::bigint / 1000.0)
returning fence
]])
local give_by_client = script("give-row-client-time", [[
update leases set until = to_timestamp($2::bigint / 1000.0) where name = $1 returning fence
]])

is("t", call(try, 1, name))
is("t", call(holds, 1, name))
is("t", call(unlock, 1, name))
is("f", call(unlock, 1, name))
is("f", call(holds, 1, name))
is("BEGIN", call(begin, 0))
is("t", call(try_xact, 1, name))
is("ROLLBACK", call(rollback, 0))
is("BEGIN", call(begin, 0))
is("SET", call(script("remote-apply", "set local synchronous_commit = remote_apply\n"), 0))
is("COMMIT", call(commit, 0))
local fence = call(take, 3, "row", "me", 60000)[1]
local function after(number) return tostring(tonumber(number) + 1) end
is("nil", call(take, 3, "row", "another", 60000))
is("nil", call(give, 2, "row", "another"))
is(fence, call(give, 2, "row", "me"))
is(after(fence), call(take, 3, "row", "another", 60000))
is(after(fence), call(give, 2, "row", "another"))
local last = call(next_fence, 1, name)[1]
is(after(last), call(next_fence, 1, name))
local now = clock.wall()
fence = call(take_by_client, 4, "dated", "me", clock.write(now), clock.write(now + 1000))[1]
is("nil", call(take_by_client, 4, "dated", "another", clock.write(now), clock.write(now + 1000)))
is(fence, call(give_by_client, 2, "dated", clock.write(now)))
