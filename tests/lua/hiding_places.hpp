// SPDX-License-Identifier: Apache-2.0
// Places in which a lock in Lua could keep a bit between two calls.
#pragma once

namespace lockproof::tests {

/// What becomes of the bit: states have it, so a search finds what follows from it; or no call can read it; or the
/// lock is refused.
enum class Fate : unsigned char { found, forgotten, refused };

struct HidingPlace {
  const char* name;
  const char* lua;  // hide(bit) puts it there, reveal() reads it; if it is refused, what hide does
  Fate fate = Fate::found;
  const char* said = nullptr;   // if it is refused
  bool keeps_instants = false;  // states differ in how long ago these are
};

inline constexpr HidingPlace hiding_places[] = {
    // What it is.
    {"Global",
     R"(function hide(bit) if bit then x = true else x = false end end
function reveal() return x end)"},
    {"LocalOfTheFile",
     R"(local x
function hide(bit) x = bit end
function reveal() return x end)"},
    {"FieldOfLock",
     R"(function hide(bit) lock.x = bit end
function reveal() return lock.x end)"},
    {"FieldOfServers",
     R"(function hide(bit) servers[1].x = bit end
function reveal() return servers[1].x end)"},
    {"NumberOfServers",
     R"(function hide(bit) if bit then servers[2] = {} end end
function reveal() return #servers == 2 end)"},
    {"FalseAgainstNil",
     R"(function hide(bit) if bit then x = false else x = nil end end
function reveal() return x == false end)"},
    {"NumberAgainstText",
     R"(function hide(bit) if bit then x = 1 else x = "1" end end
function reveal() return x == 1 end)"},
    {"KeyOfNumberAgainstText",
     R"(function hide(bit) if bit then x = { [1] = 1 } else x = { ["1"] = 1 } end end
function reveal() return x[1] == 1 end)"},
    {"NotANumber",
     R"(function hide(bit) if bit then x = 0 / 0 else x = 0 end end
function reveal() return x ~= x end)"},
    {"SignOfNotANumber",
     R"(function hide(bit) if bit then x = 0 / 0 else x = -(0 / 0) end end
function reveal() return tostring(x) == tostring(0 / 0) end)"},
    {"SignOfZero",
     R"(local zero = 0
function hide(bit) if bit then x = -zero else x = zero end end
function reveal() return 1 / x < 0 end)"},
    {"LargeNumber",
     R"(function hide(bit) if bit then x = 9007199254740994 else x = 9007199254740992 end end
function reveal() return x > 9007199254740992 end)"},
    {"LastBitOfAFraction",
     R"(function hide(bit) if bit then x = 0.1 + 0.2 else x = 0.3 end end
function reveal() return x > 0.3 end)"},
    {"InfinityAsKey",
     R"(function hide(bit) if bit then x = { [1 / 0] = true, [""] = 1 } else x = { [1 / 0] = false, [""] = 1 } end end
function reveal() return x[1 / 0] end)"},
    {"EmptyTextAsKey",
     R"(function hide(bit) if bit then x = { [1 / 0] = 1, [""] = true } else x = { [1 / 0] = 1, [""] = false } end end
function reveal() return x[""] end)"},
    {"LargeKey",
     R"(function hide(bit) if bit then x = { [2 ^ 40] = 1 } else x = { [2 ^ 40 + 1] = 1 } end end
function reveal() return x[2 ^ 40] end)"},
    {"BytesBehindZero",
     R"(function hide(bit) if bit then x = "a\0b" else x = "a\0c" end end
function reveal() return x == "a\0b" end)"},
    {"EmptyText",
     R"(function hide(bit) if bit then x = "" else x = nil end end
function reveal() return x == "" end)"},
    {"TextThatLooksLikeAToken",
     R"(function hide(bit) if bit then x = "c1.1" else x = "c1.2" end end
function reveal() return x == "c1.1" end)"},
    {"TextThatLooksLikeAnEscapedToken",
     R"(function hide(bit) if bit then x = "c1.1" else x = "c_1.1" end end
function reveal() return x == "c1.1" end)"},
    {"TokenLikeTextInAFunction",
     R"(function hide(bit) if bit then f = function() return "c1.1" end else f = function() return "c1.2" end end end
function reveal() return f() == "c1.1" end)"},
    {"TextThatIsAWordOfTheEncoding",
     R"(a1, a2, a3, a4 = {}, {}, {}, {}
function hide(bit) if bit then x = "table" else x = a4 end end
function reveal() return type(x) == "string" end)"},
    {"WhichToken",
     R"(function hide(bit) a, b = random.token(), random.token() x = bit and a or b end
function reveal() return x == a end)"},
    {"SameToken",
     R"(function hide(bit) a = random.token() b = bit and a or random.token() end
function reveal() return a == b end)"},
    {"WhichInstant",
     R"(function hide(bit) i = clock.mono() + (bit and 1 or 0) j = clock.mono() end
function reveal() return i > j end)",
     Fate::found, nullptr, true},
    // Which objects are the same.
    {"SharedLocal",
     R"(local function pair() local x = 0 return function() x = x + 1 end, function() return x end end
function hide(bit) inc, get = pair() if not bit then local _, other = pair() get = other end end
function reveal() inc() return get() == 1 end)"},
    {"SharedLocalOfFour",
     R"(local function pair() local x = 0 return function() x = x + 1 end, function() return x end end
function hide(bit) local a, b = pair() local c, d = pair() all = { a, b, c, bit and d or b } end
function reveal() all[1]() return all[4]() == 0 end)"},
    {"LocalOfEachTurnOfALoop",
     R"(function hide(bit)
  local fs = {}
  for i = 1, 2 do local x = 0 fs[i] = { function() x = x + 1 end, function() return x end } end
  add, get = fs[1][1], bit and fs[1][2] or fs[2][2]
end
function reveal() add() return get() == 1 end)"},
    {"LocalSharedWithTheFile",
     R"(local x = 0
function get() return x end
local function make(apart)
  if apart then local x = 0 return function() x = x + 1 end end
  return function() x = x + 1 end
end
function hide(bit) f = bit and make(false) or make(true) end
function reveal() f() return get() == 1 end)"},
    {"RecursiveFunction",
     R"(local function make() local f f = function(n) if n == 0 then return f end return f(n - 1) end return f end
function hide(bit) local f = make() all = { f, bit and f or make() } end
function reveal() return all[1](0) == all[2](1) end)"},
    {"LocalOfALocal",
     R"(local function over(f) return function() return f() end end
local function pair() local x = 0 return function() x = x + 1 end, function() return x end end
function hide(bit) local a, b = pair() local _, d = pair() f, g = over(over(a)), over(over(bit and b or d)) end
function reveal() f() return g() == 1 end)"},
    {"SharedTable",
     R"(function hide(bit) local t = {} all = { t, bit and t or {} } end
function reveal() all[1].x = true return all[2].x end)"},
    {"TableInItself",
     R"(function hide(bit) t = {} t.t = {} t.t.t = bit and t or t.t end
function reveal() return t.t.t == t end)"},
    {"SharedTableInLocals",
     R"(local function over(t) return function() t[1] = (t[1] or 0) + 1 return t[1] end end
function hide(bit) local t = {} f, g = over(t), over(bit and t or {}) end
function reveal() f() return g() == 2 end)"},
    {"WhichOfTwoEqualFunctions",
     R"(local function make() return function() end end
local f, g = make(), make()
function hide(bit) x = bit and f or g end
function reveal() return x == f end)"},
    {"SameFunctionMadeAgain",
     R"(local function make() return function() end end
local f = make()
function hide(bit) x = bit and f or make() end
function reveal() return x == f end)"},
    {"SameScript",
     R"(function hide(bit) local s = script("s", "return 1") all = { s, bit and s or script("s", "return 1") } end
function reveal() return all[1] == all[2] end)"},
    {"SameInstant",
     R"(function hide(bit) local i = clock.mono() all = { i, bit and i or i + 0 } end
function reveal() return ({ [all[1]] = true })[all[2]] end)",
     Fate::found, nullptr, true},
    // Functions.
    {"FunctionThatDoesOtherThings",
     R"(function hide(bit) if bit then x = function() return true end else x = function() return false end end end
function reveal() return x() end)"},
    {"WhatAFunctionHasOfALocal",
     R"(local function make(x) return function() return x end end
function hide(bit) f = make(bit) end
function reveal() return f() end)"},
    {"NumberOfArguments",
     R"(local function pack(...) local n = select("#", ...) return function() return n end end
function hide(bit)
  if bit then f = pack(nil, nil) else f = pack(nil) end
end
function reveal() return f() == 2 end)"},
    {"TableOfArguments",
     R"(local function pack(...) return function() return arg.n end end
function hide(bit) if bit then f = pack(nil, nil) else f = pack(nil) end
end
function reveal() return f() == 2 end)"},
    {"TheLocksOwnFunctionReplaced",
     R"(local plain = release
function hide(bit) if bit then retry = function() return 1 end end end
function reveal() return retry ~= nil end)"},
    {"FunctionOfALibrary",
     R"(function hide(bit) if bit then x = math.floor else x = math.ceil end end
function reveal() return x(0.5) == 0 end)"},
    {"FunctionOfALibraryKeptByTheFile",
     R"(local floor, ceil = math.floor, math.ceil
function hide(bit) x = bit and floor or ceil end
function reveal() return x(0.5) == 0 end)"},
    {"Library",
     R"(function hide(bit) if bit then x = math else x = string end end
function reveal() return x.floor ~= nil end)"},
    {"LibraryReplaced",
     R"(function hide(bit) if bit then math = { floor = function() return 7 end } end end
function reveal() return math.floor(1) == 7 end)"},
    {"FunctionOfAServer",
     R"(function hide(bit) local s = servers[1] x = bit and s.call or s.subscribe s.call, s.subscribe = x, x end
function reveal() return servers[1].call ~= nil and is_call(x) end
function is_call(f) return f == first end
first = servers and servers[1].call)"},
    {"PlaceOfGmatch",
     R"(function hide(bit) f = ("ab"):gmatch(".") if bit then f() end end
function reveal() return f() == "b" end)"},
    {"PlaceOfGmatchOfTheFile",
     R"(local f
f = ("ab"):gmatch(".")
function hide(bit) if bit then f() end end
function reveal() return f() == "b" end)"},
    {"PatternOfGmatch",
     R"(function hide(bit) f = ("ab"):gmatch(bit and "a" or "b") end
function reveal() return f() == "a" end)"},
    {"PlaceOfPairs",
     R"(function hide(bit) f, t = pairs({ a = 1, b = 2 }) if bit then f(t) end end
function reveal() return f(t) == "b" end)"},
    {"WhatIpairsReturns",
     R"(function hide(bit) x = bit and ipairs({}) or pairs({}) end
function reveal() return x({ 5 }, 0) == 1 end)"},
    // How a table is laid out. It is laid out anew between two calls.
    {"LengthWithAHole",
     R"(function hide(bit)
  if bit then t = { 1, 2, 3, 4 } t[2] = nil t[3] = nil else t = {} t[1] = 1 t[4] = 4 end
end
function reveal() return #t == 4 end)",
     Fate::forgotten},
    {"RoomInAList",
     R"(function hide(bit)
  if bit then t = { nil, nil, nil, nil } else t = {} end
end
function reveal() t[4] = 1 return #t == 4 end)",
     Fate::forgotten},
    {"ListMadeAtOnce",
     R"(function hide(bit)
  if bit then t = { 1, 2, 3, 4, 5 } else t = {} for i = 1, 5 do t[i] = i end end
end
function reveal() for i = 2, 4 do t[i] = nil end return #t == 5 end)",
     Fate::forgotten},
    {"RoomForTexts",
     R"(function hide(bit)
  if bit then t = {} for _, x in ipairs({ 1, false }) do for i = 1, 9 do t["k" .. i] = x or nil end end
  else t = {} end
end
function reveal() for i = 4, 1, -1 do t[i] = i end t[2] = nil t[3] = nil return #t == 1 end)",
     Fate::forgotten},
    {"RoomForNumbers",
     R"(function hide(bit)
  if bit then t = {} for i = -8, -1 do t[i] = 1 end for i = -8, -1 do t[i] = nil end else t = {} end
end
function reveal() for i = 4, 1, -1 do t[i] = i end t[2] = nil t[3] = nil return #t == 1 end)",
     Fate::forgotten},
    {"PlaceOfInsert",
     R"(function hide(bit)
  if bit then t = { 1, 2, 3, 4 } t[2] = nil t[3] = nil else t = {} t[1] = 1 t[4] = 4 end
end
function reveal() table.insert(t, 9) return t[5] == 9 end)",
     Fate::forgotten},
    {"PlaceOfRemove",
     R"(function hide(bit)
  if bit then t = { 1, 2, 3, 4 } t[2] = nil t[3] = nil else t = {} t[1] = 1 t[4] = 4 end
end
function reveal() return table.remove(t) == 4 end)",
     Fate::forgotten},
    {"CountOfUnpack",
     R"(function hide(bit)
  if bit then t = { 1, 2, 3, 4 } t[2] = nil t[3] = nil else t = {} t[1] = 1 t[4] = 4 end
end
function reveal() return select("#", unpack(t)) == 4 end)",
     Fate::forgotten},
    {"LengthInALocal",
     R"(function hide(bit)
  if bit then local u = { 1, 2, 3, 4 } u[2] = nil u[3] = nil f = function() return #u end
  else local u = {} u[1] = 1 u[4] = 4 f = function() return #u end end
end
function reveal() return f() == 4 end)",
     Fate::forgotten},
    {"LengthInATable",
     R"(function hide(bit)
  if bit then t = { { 1, 2, 3, 4 } } t[1][2] = nil t[1][3] = nil else t = { {} } t[1][1] = 1 t[1][4] = 4 end
end
function reveal() return #t[1] == 4 end)",
     Fate::forgotten},
    {"OrderOfKeys",
     R"(function hide(bit)
  if bit then t = { a = 1 } t.b = 2 else t = { b = 2 } t.a = 1 end
end
function reveal() return (pairs(t))(t) == "b" end)",
     Fate::forgotten},
    {"SignOfAKey",
     R"(local zero = 0
function hide(bit)
  if bit then t = { [-zero] = 1 } else t = { [0] = 1 } end
end
function reveal() return 1 / (pairs(t))(t) < 0 end)",
     Fate::forgotten},
    {"SignOfAKeyThatWasRemoved",
     R"(local zero = 0
function hide(bit)
  if bit then t = { [-zero] = 1 } t[0] = nil else t = {} end
end
function reveal() t[0] = 1 return 1 / (pairs(t))(t) < 0 end)",
     Fate::forgotten},
    {"LengthOfServers",
     R"(function hide(bit)
  if bit then servers = { servers[1], 2, 3, 4, 5 } else for i = 2, 5 do servers[i] = i end end
end
function reveal() for i = 2, 4 do servers[i] = nil end return #servers == 5 end)",
     Fate::forgotten},
    // What is refused.
    {"FieldOfALibrary", "if bit then string.x = 1 end", Fate::refused,
     "hiding.lua:2: 'x' cannot be set here: this table is not the lock's own"},
    {"ItemOfALibrary", "if bit then table.insert(string, 1) end", Fate::refused,
     "hiding.lua:2: bad argument #1 to 'insert' (table expected, got userdata)"},
    {"SortedLibrary", "table.sort(string)", Fate::refused,
     "hiding.lua:2: bad argument #1 to 'sort' (table expected, got userdata)"},
    {"FieldOfParameters", "if bit then parameters.x = 1 end", Fate::refused,
     "hiding.lua:2: 'x' cannot be set here: this table is not the lock's own"},
    {"TableAsKey", "t = { [{}] = bit }", Fate::refused,
     "hiding.lua: the lock remembers a table that has a table for a key; use text or a number"},
    {"FunctionAsKey", "t = { [hide] = bit }", Fate::refused,
     "hiding.lua: the lock remembers a table that has a function for a key; use text or a number"},
    {"BooleanAsKey", "t = { [bit] = 1 }", Fate::refused,
     "hiding.lua: the lock remembers a table that has a boolean for a key; use text or a number"},
    {"TokenAsKey", "t = { [random.token()] = 1 }", Fate::refused,
     "hiding.lua: the lock remembers a table that has a token for a key; use text or a number"},
    {"Metatable", "setmetatable({}, { __index = { bit } })", Fate::refused,
     "hiding.lua:2: a lock has no 'setmetatable': use plain tables and functions"},
    {"MetatableOfTexts", R"(getmetatable("").__index = { bit })", Fate::refused,
     "hiding.lua:2: a lock has no 'getmetatable': use plain tables and functions"},
    {"Coroutine", "co = coroutine.wrap(function() end)", Fate::refused,
     "hiding.lua:2: a lock has no 'coroutine': each of its functions is suspended at each command"},
    {"Environment", "setfenv(1, { bit })", Fate::refused,
     "hiding.lua:2: attempt to call global 'setfenv' (a nil value)"},
    {"NextOfALibrary", "x = next(string)", Fate::refused, "hiding.lua:2: a lock has no 'next': use pairs"},
    {"RawSet", "rawset(string, 1, bit)", Fate::refused, "hiding.lua:2: attempt to call global 'rawset' (a nil value)"},
    {"Globals", "_G.x = bit", Fate::refused, "hiding.lua:2: attempt to index global '_G' (a nil value)"},
    {"Packages", "package.loaded.x = bit", Fate::refused,
     "hiding.lua:2: attempt to index global 'package' (a nil value)"},
    {"Proxy", "x = newproxy(bit)", Fate::refused, "hiding.lua:2: attempt to call global 'newproxy' (a nil value)"},
    {"GarbageCollector", R"(collectgarbage("stop"))", Fate::refused,
     "hiding.lua:2: attempt to call global 'collectgarbage' (a nil value)"},
    {"CodeOfAFunction", "x = string.dump(hide)", Fate::refused,
     "hiding.lua:2: attempt to call field 'dump' (a nil value)"},
    {"MethodOfTexts", R"(("").x = bit)", Fate::refused, "hiding.lua:2: attempt to index a string value"},
    {"TextOfAScript", R"(x = script("s", bit and "return 1" or "return 2"))", Fate::refused,
     "hiding.lua:2: script: 's' is the name of another text; give each script a name of its own"},
    {"InstantThatTheFileNames", R"(x = clock.wall() > clock.read("1700000006000"))", Fate::refused,
     "hiding.lua:2: clock.read: '1700000006000' was not written by clock.write, and no server has "
     "answered it in this call"},
    {"PieceOfATokenThatAScriptRead",
     R"(local s = call(script("get", "return redis.call('get', KEYS[1]) "), 1, "lock") x = s and s:byte(4))",
     Fate::refused, "hiding.lua:2: a token can only be compared, kept and sent: its bytes are different in each run"},
};

}  // namespace lockproof::tests
