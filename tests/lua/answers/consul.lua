local delay, index, changed = delay(name), index(name), changed(name)
is("1 1", call(kv_acquire, 3, name, delay, index, "mine", 20000, 35000))
is("0 true", { 0, call(kv_acquire, 3, name, delay, index, "other", 20000, 35000)[2] > 19000 })
is("1", call(session_renew, 2, name, delay, "mine", 20000, 35000))
is("0", call(session_renew, 2, name, delay, "other", 20000, 35000))
is("0", call(kv_release, 3, name, delay, changed, "other"))
local _, why = subscribe(changed)
is("nil", why)
is("1", call(kv_release, 3, name, delay, changed, "mine"))
is("true", message(changed, clock.mono() + 1000))
is("1 2", call(kv_acquire, 3, name, delay, index, "other", 20000, 35000)) -- after a release there is no delay
is("1", call("DEL", name)) -- its session ends
is("0 0", call(kv_acquire, 3, name, delay, index, "mine", 20000, 35000))
is("2", call("DEL", delay, index))
