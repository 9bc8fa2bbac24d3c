create table leases (name text primary key, owner text not null, until timestamptz not null, fence bigint not null)
