-- Append to a numbered log if it stands where the writer thinks, with everything that goes with it, or do nothing.
--
-- KEYS  1 log · 2 timers · 3 outbox · 4 answer · 5 snapshot · 6 ballots
-- ARGV  1 expected version · 2 id of the log · 3 timer ('' leave, '0' clear, ms set) · 4 answer to keep ('' none)
--       5 its life in seconds · 6 snapshot ('' none) · 7 voter ('' none) · 8 what it votes on
--       9 the other voters, with spaces · 10 answer to keep while others have not voted
--       11 the last entry, where the writer is in doubt about it ('' elsewhere)
--       12 number n of outbox messages · 13… n messages, then the entries
-- Answers the new version; or -1 - version when the log stands elsewhere (-1 also when its last entry is another one);
-- or the kept answer of an earlier commit.

if ARGV[4] ~= '' then
  local kept = redis.call('GET', KEYS[4])
  if kept then return kept end
end

local version = tonumber(ARGV[1])
local messages = tonumber(ARGV[12])
local first_entry = 13 + messages

-- The length says the same as the last id and costs less, except in a log that was trimmed.
if (first_entry <= #ARGV or ARGV[3] ~= '') and redis.call('XLEN', KEYS[1]) ~= version then
  local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
  local actual = last and tonumber(string.match(last[1], '^%d+')) or 0
  if actual ~= version then return -1 - actual end
end
if ARGV[11] ~= '' then
  local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
  if not last or last[2][2] ~= ARGV[11] then return -1 end
end

-- A vote is kept beside the log; the one that completes the ballot appends the entries, any other changes no version.
if ARGV[7] ~= '' then
  redis.call('HSET', KEYS[6], ARGV[7], ARGV[8])
  for voter in string.gmatch(ARGV[9], '%S+') do
    if redis.call('HGET', KEYS[6], voter) ~= ARGV[8] then
      if ARGV[4] ~= '' then redis.call('SET', KEYS[4], ARGV[10], 'EX', ARGV[5]) end
      return version
    end
  end
  redis.call('DEL', KEYS[6])
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
for i = 13, first_entry - 1 do
  redis.call('XADD', KEYS[3], '*', 'm', ARGV[i])
end
if messages > 0 then redis.call('SPUBLISH', KEYS[3], '') end

if ARGV[6] ~= '' then redis.call('SET', KEYS[5], ARGV[6]) end
if ARGV[4] ~= '' then redis.call('SET', KEYS[4], ARGV[4], 'EX', ARGV[5]) end
return version
