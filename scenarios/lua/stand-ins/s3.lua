-- A stand-in for S3's conditional writes: an object that is made only if there is none (If-None-Match: *), and
-- replaced or deleted only if its ETag is still the one that was read (If-Match). The lock is a file, as Terraform's
-- use_lockfile.
-- The same: a condition and its write are one step, and reads see the last write; nothing in S3 ends a lock by itself.
-- Not the same: the ETag is the object's content; of two writes at once the second is answered with 412, and never
-- with 409; no versions, no multipart uploads.
lock = {
  summary = "a stand-in for a lock file on S3",
  source = "docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html; hashicorp/terraform #35661",
  claims = { double_grant = "without faults" },
  lease = 20000, -- how long an object that nobody writes counts, where somebody takes over
  round_trips = 4, -- PutObject; GetObject; DeleteObject; PutObject
  parameters = {
    retry = { 1000, "wait between two attempts" },
    takeover = { count = 1, "of what is the same for a lease: 1, none; 2, by deletion; 3, by PutObject If-Match" },
    conditions = { count = 1, "1: the server keeps to them; 2: it ignores them, as some servers that speak S3 do" },
  },
}

-- PutObject If-Match -> 1; 0: 412 Precondition Failed; -1: 404, there is no such object
local put_if_match = script("put-if-match", [[
  local etag = redis.call("get", KEYS[1])
  if not etag then return -1 end
  if etag ~= ARGV[1] then return 0 end
  redis.call("set", KEYS[1], ARGV[2])
  return 1
]])
-- DeleteObject If-Match -> 1; 0: 412; -1: 404
local delete_if_match = script("delete-if-match", [[
  local etag = redis.call("get", KEYS[1])
  if not etag then return -1 end
  if etag ~= ARGV[1] then return 0 end
  return redis.call("del", KEYS[1])
]])
-- PutObject If-None-Match: * -> "OK"; nil: 412
local function put_if_none_match(name, body)
  if parameters.conditions == 2 then return call("SET", name, body) end
  return call("SET", name, body, "NX")
end
-- GetObject -> the ETag; nil: 404
local function get_object(name) return call("GET", name) end
-- DeleteObject -> 1, or 0: there was none; S3 answers 204 in both cases
local function delete_object(name) return call("DEL", name) end

local seen, since -- the object as it was seen last, and since when
local mine, sent, lasts -- the object that the holder knows of as its own, the last that it sent, and its lease

local function grant_of(own, asked, lease)
  mine, sent, lasts = own, own, lease
  if parameters.takeover == 1 then return { token = own } end
  return { token = own, deadline = asked + lease, renewal = { period = lease / 3 } }
end

-- Whether it was taken, or nil and why.
local function take_over(name, etag, own)
  if parameters.takeover == 3 then
    local put, why = call(put_if_match, 1, name, etag, own)
    return put == 1, why
  end
  local _, why = delete_object(name)
  if why then return false, why end
  local put, why = put_if_none_match(name, own)
  return put == "OK", why
end

function acquire(name, lease)
  local own, asked = random.token(), clock.mono()
  local made, why = put_if_none_match(name, own)
  if why then return failed(why, grant_of(own, asked, lease)) end
  if made then return grant_of(own, asked, lease) end
  if parameters.takeover == 1 then return busy() end

  local etag, why = get_object(name)
  if why then return failed(why) end
  local now = clock.mono()
  if etag ~= seen then seen, since = etag, now end
  if not etag or now < since + lease then return busy() end
  local taken, why = take_over(name, etag, own)
  if why then return failed(why, grant_of(own, now, lease)) end
  return taken and grant_of(own, now, lease) or busy()
end

function renew(grant)
  local own, now = random.token(), clock.mono()
  sent = own
  local put, why = call(put_if_match, 1, grant.name, mine, own)
  if why then return failed(why) end
  if put ~= 1 then return false end
  mine, grant.deadline = own, now + lasts
  return grant
end

function release(grant)
  local deleted, why = call(delete_if_match, 1, grant.name, mine)
  if deleted == 0 and sent ~= mine then deleted, why = call(delete_if_match, 1, grant.name, sent) end
  if why then return failed(why) end
  return deleted == 1
end
