-- SET NX PX, released by compare and delete, with a delay that is drawn after each refusal.
lock = {
  source = "tests/search/zones",
  parameters = { least = { 50, "the least delay" }, most = { 50, "the most" } },
}

function retry() return parameters.least, parameters.most end

function acquire(name, lease)
  local token, began = random.token(), clock.mono()
  local won, why = call("SET", name, token, "NX", "PX", lease)
  local grant = { token = token, deadline = began + lease }
  if why then return failed(why, grant) end
  return won and grant or busy()
end

function release(grant)
  local deleted, why = call("DEL", grant.name)
  if why then return failed(why) end
  return deleted == 1
end
