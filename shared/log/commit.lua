-- Append to a numbered log if it stands where the writer thinks, with everything that goes with it, or do nothing.
--
-- KEYS  1 log · 2 timers · 3 outbox · 4 answer · 5 snapshot
-- ARGV  1 expected version · 2 id of the log · 3 timer ('' leave, '0' clear, ms set) · 4 answer to keep ('' none)
--       5 its life in seconds · 6 snapshot ('' none) · 7 number n of outbox messages · 8… n messages, then the entries
-- Answers the new version; or -1 - version when the log stands elsewhere; or the kept answer of an earlier commit.

if ARGV[4] ~= '' then
  local kept = redis.call('GET', KEYS[4])
  if kept then return kept end
end

local version = tonumber(ARGV[1])
local messages = tonumber(ARGV[7])
local first_entry = 8 + messages

-- The length says the same as the last id and costs less, except in a log that was trimmed.
if (first_entry <= #ARGV or ARGV[3] ~= '') and redis.call('XLEN', KEYS[1]) ~= version then
  local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
  local actual = last and tonumber(string.match(last[1], '^%d+')) or 0
  if actual ~= version then return -1 - actual end
end

for i = first_entry, #ARGV do
  version = version + 1
  redis.call('XADD', KEYS[1], version .. '-0', 'e', ARGV[i])
  redis.call('SPUBLISH', KEYS[1], version .. ' ' .. ARGV[i])
end

if ARGV[3] == '0' then
  redis.call('ZREM', KEYS[2], ARGV[2])
elseif ARGV[3] ~= '' then
  redis.call('ZADD', KEYS[2], ARGV[3], ARGV[2])
  -- The worker looks each second; it must be told only of what is due before it looks again.
  if tonumber(ARGV[3]) < tonumber(redis.call('TIME')[1]) * 1000 + 2500 then redis.call('SPUBLISH', KEYS[2], '') end
end
for i = 8, first_entry - 1 do
  redis.call('XADD', KEYS[3], '*', 'm', ARGV[i])
end
if messages > 0 then redis.call('SPUBLISH', KEYS[3], '') end

if ARGV[6] ~= '' then redis.call('SET', KEYS[5], ARGV[6]) end
if ARGV[4] ~= '' then redis.call('SET', KEYS[4], ARGV[4], 'EX', ARGV[5]) end
return version
