update leases set until = to_timestamp($2::bigint / 1000.0) where name = $1 returning fence
