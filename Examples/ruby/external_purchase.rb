# Reports a sale and its refund as Apple's External Purchase Server API asks, and verifies a signed notification.
# It needs Ruby 3.1 or later and no gem. ../README.md has the settings.

require "json"
require "net/http"
require "openssl"
require "securerandom"
require "socket"

require_relative "notification"

# In production: https://api.storekit.apple.com, and https://api.storekit-sandbox.apple.com for sandbox tokens.
BASE_URL = ENV.fetch("EMULATOR_URL", "http://127.0.0.1:8801")
CREDENTIALS = ENV.fetch("CREDENTIALS", "keys")
ENVIRONMENT = ENV.fetch("APPLE_ENVIRONMENT", "sandbox")
# In production: "Apple Root CA - G3" from https://www.apple.com/certificateauthority/, as a file.
ROOT_CERTIFICATE = ENV.fetch("ROOT_CERTIFICATE", "#{BASE_URL}/emulator/v1/root.cer")
MAXIMUM_BODY = 256 * 1024

def expect(condition, message)
  raise message unless condition
end

def request(method, url, body: nil, headers: {})
  uri = URI(url)
  http = Net::HTTP.new(uri.host, uri.port)
  http.use_ssl = uri.scheme == "https"
  http.open_timeout = http.read_timeout = 30
  # Net::HTTP sends a PUT again when the connection breaks; here the outcome is asked for first.
  http.max_retries = 0
  http.send_request(method, uri.path, body, headers)
end

# region report
def encode64(bytes) = [bytes].pack("m0").tr("+/", "-_").delete("=")

# ES256 is 64 bytes r‖s. OpenSSL writes DER: a sequence of two integers.
def raw_signature(der)
  OpenSSL::ASN1.decode(der).value.map { |number| number.value.to_s(2).rjust(32, "\0") }.join
end

# Signs a token for one request.
def bearer_token(app, key)
  header = { alg: "ES256", kid: app["keyId"], typ: "JWT" }
  now = Time.now.to_i
  claims = { iss: app["issuerId"], iat: now, exp: now + 300, aud: "appstoreconnect-v1", bid: app["bundleId"] }
  text = [header, claims].map { |part| encode64(part.to_json) }.join(".")
  "#{text}.#{encode64(raw_signature(key.sign("SHA256", text)))}"
end

# Sends a report and returns Apple's errors; an empty list means that the report is accepted.
#
# After a timeout the outcome is unknown: GET /externalPurchase/v1/reports/{requestIdentifier} tells it. Only if Apple
# does not have the report, send the same bytes again.
def send_report(app, key, report)
  headers = { "Content-Type" => "application/json", "Authorization" => "Bearer #{bearer_token(app, key)}" }
  answer = request("PUT", "#{BASE_URL}/externalPurchase/v1/reports", body: report.to_json, headers: headers)
  return [] if answer.code == "200"
  return JSON.parse(answer.body)["errors"] if answer.code == "400" && !answer.body.to_s.empty?

  raise "PUT /externalPurchase/v1/reports: #{answer.code} #{answer.body.to_s.empty? ? "malformed body" : answer.body}"
end
# endregion

# Calls a control path of the emulator, which Apple does not have.
def control(method, path, body)
  headers = { "Content-Type" => "application/json" }
  answer = request(method, "#{BASE_URL}/emulator/v1#{path}", body: body.to_json, headers: headers)
  expect(answer.is_a?(Net::HTTPSuccess), "#{method} /emulator/v1#{path}: #{answer.code} #{answer.body}")
  JSON.parse(answer.body)
end

# A token is the Base64URL text of a JSON object. It is not signed.
def decode_token(token) = JSON.parse(decode64(token))

# Amounts are integers of 1/1000 of the currency's unit. A cent is 10 of them; a yen, which has no cents, is 1000.
def milliunits(cents) = cents * 10

def line_item(event_type, net:, tax:, remaining:, **members)
  {
    lineItemId: SecureRandom.uuid,
    creationDate: Process.clock_gettime(Process::CLOCK_REALTIME, :millisecond),
    eventType: event_type,
    amountTaxExclusive: milliunits(net),
    taxAmount: milliunits(tax),
    amountTaxInclusive: milliunits(net + tax),
    netAmountTaxExclusive: milliunits(remaining),
    pricingCurrency: "EUR",
    reportingCurrency: "EUR",
    taxCountry: "NLD",
    **members
  }
end

# Store the report before it is sent, so that nothing sends the same sale under another identifier.
def report_of(token, item)
  { requestIdentifier: SecureRandom.uuid, externalPurchaseId: token["externalPurchaseId"],
    status: "LINE_ITEM", lineItems: [item] }
end

# Sends a report, prints the outcome and returns the errors.
def send_and_print(name, app, key, report)
  errors = send_report(app, key, report)
  puts "#{name} #{report[:lineItems][0][:lineItemId]}: #{errors.empty? ? "accepted" : "refused"}"
  errors.each do |error|
    puts "  code #{error["errorCode"]}, field #{error["fieldName"] || "-"}: #{error["errorMessage"]}"
  end
end

def report_sale_and_refund(app, key, token)
  # EUR 9.99, of it 1.73 tax.
  sale = line_item("BUY", net: 826, tax: 173, remaining: 826,
                   productType: "ONE_TIME_BUY", productIdentifier: "com.example.shop.gems", quantity: 1)
  expect(send_and_print("sale", app, key, report_of(token, sale)).empty?, "the sale was refused")

  # EUR 3.00 go back. Amounts of refunds have no minus sign; the net amount is what is left of the sale.
  item = line_item("REFUND", net: 248, tax: 52, remaining: 826, referenceLineItemId: sale[:lineItemId])
  refund = report_of(token, item)
  found = send_and_print("refund", app, key, refund).map { |error| error.values_at("errorCode", "fieldName") }
  expect(found == [[12, "netAmountTaxExclusive"]], "the refund with the net amount of the sale drew #{found}")
  # A refused report leaves nothing behind, so the corrected one has the same identifiers.
  item[:netAmountTaxExclusive] = milliunits(826 - 248)
  expect(send_and_print("refund", app, key, refund).empty?, "the refund was refused")
end

def read_signed_payload(body)
  value = JSON.parse(body.to_s.dup.force_encoding("UTF-8").scrub)
  signed_payload = value["signedPayload"] if value.is_a?(Hash)
  signed_payload.is_a?(String) ? signed_payload : raise(Refusal, "body-unreadable")
rescue JSON::ParserError
  raise Refusal, "body-unreadable"
end

# Returns the status of the answer: Apple sends what is not answered with 200 again.
def receive(body, app, root)
  payload = verify(read_signed_payload(body), app, ENVIRONMENT, root)
  puts "notification #{payload["notificationUUID"]}: #{payload["subtype"]} is genuine"
  # Answer 200 only after the notification is stored.
  "200 OK"
rescue Refusal => error
  puts "notification refused: #{error.message}"
  "400 Bad Request"
end

# Serves one request per connection, which is enough for this program; your framework has a server of its own.
def serve(server, app, root)
  loop do
    socket = server.accept
    length = 0
    while (line = socket.gets("\r\n")) && line != "\r\n"
      length = line.split(":", 2)[1].to_i if line.downcase.start_with?("content-length:")
    end
    status = receive(length <= MAXIMUM_BODY ? socket.read(length) : "", app, root)
    socket.write("HTTP/1.1 #{status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
  rescue SystemCallError, IOError => error
    # Without an answer, Apple sends the notification again.
    warn "notification: #{error.message}"
  ensure
    socket&.close
  end
end

def receive_notifications(app, token, root)
  server = TCPServer.new("127.0.0.1", 0)
  Thread.new { serve(server, app, root) }
  control("PUT", "/apps/#{app["bundleId"]}", { notificationURL: "http://127.0.0.1:#{server.addr[1]}/" })
  order = { externalPurchaseId: token["externalPurchaseId"], subtype: "UNREPORTED" }
  [nil, "signature-wrong", "body-unreadable"].each do |damage|
    record = control("POST", "/notifications", { **order, damage: damage }.compact)
    result = record["sendAttempts"].last&.fetch("sendAttemptResult")
    expected = damage ? "UNSUCCESSFUL_HTTP_RESPONSE_CODE" : "SUCCESS"
    expect(result == expected, "the notification (#{damage || "as signed"}) ended with #{result}, not #{expected}")
  end
end

def main
  is_known = %w[sandbox production].include?(ENVIRONMENT)
  expect(is_known, "APPLE_ENVIRONMENT=#{ENVIRONMENT}: sandbox or production is right")
  file = "#{CREDENTIALS}/credentials.json"
  expect(File.exist?(file), "#{file} does not exist; `emulator --credentials` writes it")
  app = JSON.parse(File.read(file))["apps"][0]
  key = OpenSSL::PKey.read(File.read("#{CREDENTIALS}/#{app["keyFile"]}"))
  is_url = ROOT_CERTIFICATE.start_with?("http")
  root = OpenSSL::X509::Certificate.new(is_url ? request("GET", ROOT_CERTIFICATE).body : File.binread(ROOT_CERTIFICATE))
  if ENV["SIGNED_PAYLOAD"]
    payload = verify(ENV["SIGNED_PAYLOAD"], app, ENVIRONMENT, root)
    puts "genuine: #{[payload["notificationType"], payload["subtype"]].compact.join(" ")}"
    return
  end
  token = decode_token(control("POST", "/tokens", { bundleId: app["bundleId"], environment: ENVIRONMENT })["token"])
  puts "token #{token["externalPurchaseId"]}"
  report_sale_and_refund(app, key, token)
  receive_notifications(app, token, root)
end

$stdout.sync = true
begin
  main
rescue Refusal => error
  abort "refused: #{error.message}"
rescue StandardError => error
  abort "error: #{error.message}"
end
