local made = call("CREATESESSION", 12000)
is("12000", made[2])
local session = made[1]
is("nil", call("GETSEQUENCER", session, name))
is("1", call("TRYACQUIRE", session, name, 1000))
local sequencer = call("GETSEQUENCER", session, name)
is("lock exclusive number", { sequencer[1], sequencer[2], type(sequencer[3]) })
local kept = everywhere(20000, "KEEPALIVE", session)[1]
is("2", #kept.reply)
is("1", call("RELEASE", session, name))
is("0", call("RELEASE", session, name))
