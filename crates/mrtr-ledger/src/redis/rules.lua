-- The rules of a ledger. KEYS: the store, then the rows. ARGV: the name of a rule, then what it is given.
-- The store is a hash of a version and an epoch; runs and bodies are hashes, journals are strings.
-- A row is gone when its key expires. Each rule answers {answer, what is left of a lease or false, bytes or false}.

local call = redis.call
local store, key = KEYS[1], KEYS[2]
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local rules = {}

local function answer(name, left, bytes)
    return {name, left or false, bytes or false}
end

local function after(millis)
    return string.format('%.0f', now + millis)
end

local function is_held(row, fence)
    return call('HGET', row, 'fence') == fence and call('HEXISTS', row, 'value') == 0
end

function rules.epoch(offered)
    call('HSETNX', store, 'version', '1')
    call('HSETNX', store, 'epoch', offered)
    return answer('epoch', nil, call('HGET', store, 'epoch'))
end

function rules.claim(epoch, run, fence, lease, keep)
    if call('HGET', store, 'epoch') ~= epoch then return answer('forgotten') end
    local old = call('HMGET', key, 'run', 'fence', 'lease', 'pinned')
    local same = old[1] == run
    if call('HEXISTS', key, 'value') == 1 then
        if not same then return answer('consumed') end
        return answer('done', nil, call('HGET', key, 'value'))
    end
    if old[2] and old[2] ~= fence then
        if old[4] and not same then return answer('consumed') end
        if tonumber(old[3]) > now then return answer('running', tonumber(old[3]) - now) end
    end
    call('HSET', key, 'run', run, 'fence', fence, 'lease', after(lease))
    call('PEXPIREAT', key, after(keep))
    return answer('granted')
end

function rules.renew(fence, lease)
    if not is_held(key, fence) then return answer('lost') end
    call('HSET', key, 'lease', after(lease))
    return answer('held')
end

function rules.finish(fence, result)
    if call('HGET', key, 'fence') ~= fence then return answer('lost') end
    call('HSETNX', key, 'value', result)
    return answer('held')
end

function rules.release(fence)
    if is_held(key, fence) then call('HSET', key, 'lease', after(0)) end
    return answer('released')
end

function rules.enter(epoch, fence, lease, keep)
    if call('HGET', store, 'epoch') ~= epoch then return answer('forgotten') end
    local run = KEYS[3]
    if run and not is_held(run, fence) then return answer('lost') end
    local old = call('HMGET', key, 'fence', 'lease', 'value')
    if old[3] then return answer('recorded', nil, old[3]) end
    if old[1] and old[1] ~= fence then
        if tonumber(old[2]) > now then return answer('busy', tonumber(old[2]) - now) end
        return answer('unknown')
    end
    call('HSET', key, 'fence', fence, 'lease', after(lease))
    call('PEXPIREAT', key, after(keep))
    if run then call('HSET', run, 'pinned', '1') end
    return answer('begin')
end

function rules.record(value)
    if call('EXISTS', key) == 0 then return answer('gone') end
    if call('HSETNX', key, 'value', value) == 1 then return answer('stored') end
    local first = call('HGET', key, 'value')
    if first == value then return answer('stored') end
    return answer('already', nil, first)
end

function rules.keep_journal(journal, keep)
    call('SET', key, journal, 'NX')
    if call('PTTL', key) < tonumber(keep) then call('PEXPIREAT', key, after(keep)) end
    return answer('kept')
end

function rules.journal()
    local journal = call('GET', key)
    if not journal then return answer('gone') end
    return answer('journal', nil, journal)
end

return rules[ARGV[1]](unpack(ARGV, 2))
