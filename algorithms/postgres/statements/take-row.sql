insert into leases (name, owner, until, fence)
values ($1, $2, clock_timestamp() + $3::int * interval '1 millisecond', 1)
on conflict (name) do update
set owner = $2, until = clock_timestamp() + $3::int * interval '1 millisecond', fence = leases.fence + 1
where leases.until < clock_timestamp()
returning fence
