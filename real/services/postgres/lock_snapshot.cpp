// SPDX-License-Identifier: Apache-2.0
#include "real/services/postgres/lock_snapshot.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lockproof::real {
namespace {

/// Only tables in which somebody has locked a row are read. pg_locks has no rows in it: PostgreSQL keeps their locks in
/// the rows.
constexpr const char* definition = R"SQL(
do $make$ begin
create schema if not exists lockproof;
create extension if not exists pgrowlocks schema lockproof;
create or replace function lockproof.locked_rows() returns table (key text, pid int, is_meant boolean)
language plpgsql as $body$
declare
  one record;
begin
  for one in
    select c.oid::regclass as tab, c.relname, a.attname from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join lateral (select attname from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped
                  order by attnum limit 1) a on true
    where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema', 'lockproof')
      and exists (select from pg_locks l where l.relation = c.oid and l.mode = 'RowShareLock'
                  and l.pid <> pg_backend_pid())
  loop
    return query execute format(
      'select format(''row %%s of %s'', t.%I::text), h.pid, h.mode in (''For Update'', ''For No Key Update'')
       from lockproof.pgrowlocks(%L) p join only %s t on t.ctid = p.locked_row,
       unnest(p.pids, p.modes) as h(pid, mode) where h.mode not like ''%%Share''',
      replace(one.relname, '%', '%%'), one.attname, one.tab::text, one.tab);
  end loop;
end $body$;
end $make$)SQL";

/// Times that are no numbers of milliseconds, such as -infinity, are over, or without an end.
constexpr const char* statement = R"SQL(
select json_build_object(
  'locks', (select coalesce(json_agg(json_build_array(l.key, l.pid, coalesce(a.client_port, 0), l.is_meant)), '[]')
    from (
      select 'advisory ' || case objsubid when 1 then (classid::bigint << 32 | objid::bigint)::text
                                          else classid::int || ',' || objid::int end as key, pid, true as is_meant
      from pg_locks where locktype = 'advisory' and granted and mode = 'ExclusiveLock'
      {}
    ) l left join pg_stat_activity a on a.pid = l.pid),
  'leases', (select coalesce(json_agg(json_build_array(
      'row ' || name || ' of leases', owner, fence::text, xmin::text,
      case when isfinite(until) then floor(extract(epoch from until - clock_timestamp()) * 1000)::bigint else -1 end,
      until = 'infinity')), '[]') from leases),
  'standby', pg_is_in_recovery(),
  'backends', (select json_agg(pid) from pg_stat_activity),
  'writers', (select coalesce(json_agg(json_build_array(backend_xid::text, client_port)), '[]')
    from pg_stat_activity where backend_xid is not null and client_port is not null))::text)SQL";

}  // namespace

const char* locked_rows_definition() { return definition; }

const char* has_locked_rows() { return "select to_regprocedure('lockproof.locked_rows()') is not null"; }

std::string lock_snapshot_statement(bool with_rows) {
  return fmt::format(statement, with_rows ? "union all select key, pid, is_meant from lockproof.locked_rows()" : "");
}

LockSnapshot lock_snapshot_from(const std::string& text) {
  const auto json = nlohmann::json::parse(text);
  LockSnapshot snapshot;
  for (const auto& lock : json.at("locks")) {
    snapshot.locks[lock.at(0)] = {lock.at(1), lock.at(2), lock.at(3)};
  }
  for (const auto& row : json.at("leases")) {
    Lease lease{row.at(1), row.at(2), row.at(3), milliseconds(row.at(4).get<std::int64_t>()), row.at(5)};
    if (lease.endless) lease.left.reset();
    snapshot.leases[row.at(0)] = std::move(lease);
  }
  snapshot.standby = json.at("standby");
  for (const auto& backend : json.at("backends")) snapshot.backends.insert(backend.get<int>());
  for (const auto& writer : json.at("writers")) snapshot.writers[writer.at(0)] = writer.at(1).get<int>();
  return snapshot;
}

}  // namespace lockproof::real
