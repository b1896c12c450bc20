-- wrk script: what each request is. wrk runs it once per thread with the scenario and the number of the first token.
local alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

local function base64url(text)
    local parts = {}
    for index = 1, #text, 3 do
        local a, b, c = text:byte(index, index + 2)
        local bits = a * 65536 + (b or 0) * 256 + (c or 0)
        local count = b and (c and 4 or 3) or 2
        for place = 1, count do
            local value = math.floor(bits / 64 ^ (4 - place)) % 64
            parts[#parts + 1] = alphabet:sub(value + 1, value + 1)
        end
    end
    return table.concat(parts)
end

local scenario, counter, moment

function init(arguments)
    scenario, counter, moment = arguments[1], tonumber(arguments[2]), arguments[3]
    wrk.headers["Content-Type"] = "application/json"
end

local function token(number)
    return base64url(string.format(
        '{"appAppleId":1234567890,"bundleId":"com.example.shop","tokenCreationDate":%s,"externalPurchaseId":"SANDBOX_%08x-0000-4000-8000-%012x"}',
        moment, math.floor(number / 4294967296), number % 4294967296))
end

function request()
    if scenario == "live" then return wrk.format("GET", "/health/live") end
    if scenario ~= "again" then counter = counter + 1 end
    -- The refused body is as long as the accepted one and is refused when it was read.
    local member = scenario == "refused" and "tokem" or "token"
    return wrk.format("POST", "/v1/tokens", nil, string.format('{"%s":"%s"}', member, token(counter)))
end

local threads, statuses = {}, {}

function setup(thread) threads[#threads + 1] = thread end

function response(status) statuses[status] = (statuses[status] or 0) + 1; seen = "" for code, count in pairs(statuses) do seen = seen .. code .. ":" .. count .. " " end end

function done(summary, latency)
    local seen = {}
    for _, thread in ipairs(threads) do seen[#seen + 1] = thread:get("seen") or "" end
    print(string.format(
        'RESULT {"requests":%d,"seconds":%.6f,"p50":%.3f,"p90":%.3f,"p99":%.3f,"max":%.3f,"socketErrors":%d,"statuses":"%s"}',
        summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(90) / 1e3,
        latency:percentile(99) / 1e3, latency.max / 1e3,
        summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout, table.concat(seen)))
end
