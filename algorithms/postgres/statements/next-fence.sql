insert into fences (name, last) values ($1, 1)
on conflict (name) do update set last = fences.last + 1
returning last
