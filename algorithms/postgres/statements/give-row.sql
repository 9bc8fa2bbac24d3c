update leases set until = '-infinity' where name = $1 and owner = $2 returning fence
