import { createHash } from 'node:crypto'

export interface Script {
  readonly text: string
  /** What the server calls it. */
  readonly hash: string
}

const script = (text: string): Script => ({
  text,
  hash: createHash('sha1').update(text).digest('hex'),
})

/** A window is counted in parts of so many milliseconds, like `gateway/limits/sliding-window.ts`. */
export const partMs = 100
/** How long a part counts from its beginning, in milliseconds: a minute and the grace. */
const windowMs = 60_500

/**
 * A window is a hash: requests `r` and LLM tokens `t`, the oldest and newest part `o` and `n`, and
 * both counts of each part (`r<part>`, `t<part>`). The server's clock decides.
 */
const windows = `
local partMs, windowMs = ${partMs}, ${windowMs}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- Removes expired parts. Returns the requests, LLM tokens, oldest part and newest part that remain, and
-- the requests and LLM tokens of "part", which must not have expired.
local function expire(key, part)
  local found = redis.call('HMGET', key, 'r', 't', 'o', 'n', 'r' .. part, 't' .. part)
  if not found[1] then return 0, 0, nil, nil, 0, 0 end
  local hadR, hadT = tonumber(found[5]) or 0, tonumber(found[6]) or 0
  local r, t, o, n = tonumber(found[1]), tonumber(found[2]), tonumber(found[3]), tonumber(found[4])
  local passed = math.floor((now - windowMs) / partMs)
  if o > passed then return r, t, o, n, hadR, hadT end
  if n <= passed then
    redis.call('DEL', key)
    return 0, 0, nil, nil, 0, 0
  end
  for from = o, passed, 100 do
    local fields = {}
    for part = from, math.min(from + 99, passed) do
      fields[#fields + 1] = 'r' .. part
      fields[#fields + 1] = 't' .. part
    end
    local values = redis.call('HMGET', key, unpack(fields))
    for i = 1, #fields, 2 do
      r = r - (tonumber(values[i]) or 0)
      t = t - (tonumber(values[i + 1]) or 0)
    end
    redis.call('HDEL', key, unpack(fields))
  end
  redis.call('HSET', key, 'r', r, 't', t, 'o', passed + 1)
  return r, t, passed + 1, n, hadR, hadT
end

-- Changes the counts of a part, to 0 at least. Its last arguments are the results of expire.
local function change(key, part, requests, tokens, r, t, o, n, hadR, hadT)
  requests = math.max(requests, -hadR)
  tokens = math.max(tokens, -hadT)
  if requests == 0 and tokens == 0 then return end
  redis.call('HSET', key, 'r', r + requests, 't', t + tokens,
    'r' .. part, hadR + requests, 't' .. part, hadT + tokens)
  if n and part >= o and part <= n then return end
  redis.call('HSET', key, 'o', math.min(o or part, part), 'n', math.max(n or part, part))
  redis.call('PEXPIRE', key, windowMs + 1000)
end

-- Takes a slot, or renews it. Scores are the ends of leases; the key itself expires long after.
local function hold(key, lease, slot, count)
  redis.call('ZADD', key, now + lease, slot)
  if count == 0 or now % 16 == 0 then redis.call('PEXPIRE', key, lease * 10) end
end
`

/**
 * KEYS: window and slots of each that is counted. ARGV: LLM tokens, slot, lease in ms, then rpm, tpm
 * and concurrency of each, empty for none. Returns 1 and the part, or 0 and for each shortage its
 * place, the place of its limit, and ms until there is room.
 */
export const admitScript = script(`${windows}
local tokens, slot, lease = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])
local shortages = {0}
local sums, counts = {}, {}
local part = math.floor(now / partMs)

-- More than the limit at once is admitted alone, or it would wait for ever.
local function fits(used, amount, limit)
  return used + amount <= limit or (used == 0 and amount > limit)
end

local function add(at, limit, ms)
  shortages[#shortages + 1] = at
  shortages[#shortages + 1] = limit
  shortages[#shortages + 1] = ms
end

-- Milliseconds until enough has passed.
local function roomIn(key, letter, used, amount, limit, o, n)
  for from = o, n, 100 do
    local fields = {}
    for part = from, math.min(from + 99, n) do fields[#fields + 1] = letter .. part end
    local values = redis.call('HMGET', key, unpack(fields))
    for i = 1, #fields do
      used = used - (tonumber(values[i]) or 0)
      if fits(used, amount, limit) then
        return math.max(1, (from + i - 1) * partMs + windowMs - now)
      end
    end
  end
  return windowMs
end

for i = 1, #KEYS / 2 do
  local window, slots = KEYS[i * 2 - 1], KEYS[i * 2]
  local rpm, tpm = tonumber(ARGV[i * 3 + 1]), tonumber(ARGV[i * 3 + 2])
  local concurrency = tonumber(ARGV[i * 3 + 3])
  if rpm or tpm then
    local r, t, o, n, hadR, hadT = expire(window, part)
    sums[i] = {r, t, o, n, hadR, hadT}
    if rpm and not fits(r, 1, rpm) then add(i, 1, roomIn(window, 'r', r, 1, rpm, o, n)) end
    if tpm and not fits(t, tokens, tpm) then
      add(i, 2, roomIn(window, 't', t, tokens, tpm, o, n))
    end
  end
  if concurrency then
    counts[i] = redis.call('ZCARD', slots)
    if counts[i] >= concurrency then
      redis.call('ZREMRANGEBYSCORE', slots, '-inf', now)
      counts[i] = redis.call('ZCARD', slots)
    end
    if counts[i] >= concurrency then add(i, 3, 1000) end
  end
end
if #shortages > 1 then return shortages end

for i = 1, #KEYS / 2 do
  local sum = sums[i]
  if sum then change(KEYS[i * 2 - 1], part, 1, tokens, unpack(sum, 1, 6)) end
  if counts[i] then hold(KEYS[i * 2], lease, slot, counts[i]) end
end
return {1, part}`)

/**
 * KEYS: one for each step. ARGV: the lease in ms, then four for each step: `change`, part, requests
 * and LLM tokens; or `freed` or `kept`, slot, and two that are empty.
 */
export const reportScript = script(`${windows}
local lease = tonumber(ARGV[1])
for i, key in ipairs(KEYS) do
  local what, first = ARGV[i * 4 - 2], ARGV[i * 4 - 1]
  if what == 'change' then
    local part = tonumber(first)
    if part * partMs + windowMs > now then
      change(key, part, tonumber(ARGV[i * 4]), tonumber(ARGV[i * 4 + 1]), expire(key, part))
    end
  elseif what == 'freed' then
    redis.call('ZREM', key, first)
  else
    hold(key, lease, first, 0)
  end
end
return 1`)

/**
 * A heartbeat. KEYS: nodes, memory. ARGV: node, lease in ms, a name for this memory if it has none
 * yet. Returns how many nodes live, the name of the memory (a new one: all was lost), and now.
 */
export const beatScript = script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('SET', KEYS[2], ARGV[3], 'NX')
return {redis.call('ZCARD', KEYS[1]), redis.call('GET', KEYS[2]), now}`)

/** Forgets a text, if it begins so. KEYS: it. ARGV: the beginning. */
export const dropScript = script(`
local text = redis.call('GET', KEYS[1])
if text and string.sub(text, 1, #ARGV[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1`)

/**
 * KEYS: rows, version. ARGV: how long rows are kept in ms, how many have changed, then id and row of
 * each, then id and start of those that have ended. Cooldowns that began later stay.
 */
export const writeCoolingScript = script(`
local changed = tonumber(ARGV[2])
for i = 1, changed do redis.call('HSET', KEYS[1], ARGV[i * 2 + 1], ARGV[i * 2 + 2]) end
for i = 3 + changed * 2, #ARGV, 2 do
  local row = redis.call('HGET', KEYS[1], ARGV[i])
  if row and cjson.decode(row).since <= tonumber(ARGV[i + 1]) then
    redis.call('HDEL', KEYS[1], ARGV[i])
  end
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('INCR', KEYS[2])
return 1`)

/**
 * KEYS: rows, version, memory. ARGV: the known version, the known memory. Returns nothing when
 * neither has changed, or when the memory is another one; else the version and all rows.
 */
export const readCoolingScript = script(`
if redis.call('GET', KEYS[3]) ~= ARGV[2] then return {} end
local version = redis.call('GET', KEYS[2]) or '0'
if version == ARGV[1] then return {} end
return {version, redis.call('HVALS', KEYS[1])}`)

/** All of them, to load into the server. */
export const scripts: readonly Script[] = [
  ...[admitScript, reportScript, beatScript, dropScript, writeCoolingScript, readCoolingScript],
]
