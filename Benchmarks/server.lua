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

local scenario, counter, moment, prepared

-- Reads the requests that server.py wrote: the value of Stripe-Signature and the body of one event on each line.
local function read(file)
    local requests = {}
    for line in io.lines(file) do
        local signature, body = line:match("^(%S+) (.*)$")
        requests[#requests + 1] = wrk.format("POST", "/v1/webhooks/stripe", {["Content-Type"] = "application/json", ["Stripe-Signature"] = signature}, body)
    end
    return requests
end

function init(arguments)
    scenario, counter, moment = arguments[1], tonumber(arguments[2]), arguments[3]
    wrk.headers["Content-Type"] = "application/json"
    if arguments[4] then prepared = read(arguments[4]) end
end

local function token(number)
    return base64url(string.format(
        '{"appAppleId":1234567890,"bundleId":"com.example.shop","tokenCreationDate":%s,"externalPurchaseId":"SANDBOX_%08x-0000-4000-8000-%012x"}',
        moment, math.floor(number / 4294967296), number % 4294967296))
end

function request()
    if scenario == "live" then return wrk.format("GET", "/health/live") end
    if scenario ~= "again" then counter = counter + 1 end
    if prepared then
        -- After the last one the first ones follow again, which server.py refuses to count.
        return prepared[(counter - 1) % #prepared + 1]
    end
    if scenario == "landing" then
        return wrk.format("GET", "/out/nl?bundleId=com.example.shop&externalPurchaseToken=" .. token(counter))
    end
    if scenario == "sale" then
        return wrk.format("POST", "/v1/sales", nil, string.format(
            '{"saleId":"sale-%d","bundleId":"com.example.shop","type":"purchase","occurredAt":"%s","productId":"gems.100",'
            .. '"quantity":1,"customerId":"customer-%d","amount":{"currency":"EUR","inclusive":"9.99","taxRate":"21","taxCountry":"NLD"}}',
            counter, os.date("!%Y-%m-%dT%H:%M:%SZ"), counter))
    end
    if scenario == "customer" then
        return wrk.format("POST", "/v1/tokens", nil, string.format(
            '{"token":"%s","customerId":"customer-%d","storefront":"NLD"}', token(counter), counter))
    end
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
