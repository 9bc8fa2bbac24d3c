insert into leases (name, owner, until, fence)
values ($1, $2, to_timestamp($4::bigint / 1000.0), 1)
on conflict (name) do update
set owner = $2, until = to_timestamp($4::bigint / 1000.0), fence = leases.fence + 1
where leases.until <= to_timestamp($3::bigint / 1000.0)
returning fence
