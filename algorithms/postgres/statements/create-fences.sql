create table fences (name text primary key, last bigint not null)
