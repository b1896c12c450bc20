# Verifies notifications that Apple signed.

require "json"
require "openssl"

# The identifiers of two extensions that only Apple's certificates for this purpose have.
INTERMEDIATE_MARKER = "1.2.840.113635.100.6.2.1"
LEAF_MARKER = "1.2.840.113635.100.6.11.1"

# A notification that is not genuine; the message is the reason.
class Refusal < StandardError; end

# Raises ArgumentError for text with characters outside the alphabet.
def decode64(text) = (text.tr("-_", "+/") + "=" * (-text.length % 4)).unpack1("m0")

def der_signature(raw)
  numbers = [raw[0, 32], raw[32, 32]].map { |bytes| OpenSSL::ASN1::Integer(OpenSSL::BN.new(bytes, 2)) }
  OpenSSL::ASN1::Sequence(numbers).to_der
end

def signed?(parts, key)
  signature = decode64(parts[2])
  signature.bytesize == 64 && key.verify("SHA256", der_signature(signature), parts.first(2).join("."))
rescue ArgumentError
  false
end

# Refuses unless the chain is leaf, intermediate, root at a moment. Nothing asks whether a certificate was revoked.
def check_chain(leaf, intermediate, root, moment)
  store = OpenSSL::X509::Store.new
  store.add_cert(root)
  store.time = moment
  unless store.verify(leaf, [intermediate])
    raise Refusal, { OpenSSL::X509::V_ERR_CERT_HAS_EXPIRED => "certificate-expired",
                     OpenSSL::X509::V_ERR_CERT_NOT_YET_VALID => "certificate-not-yet-valid" }
      .fetch(store.error, "chain-untrusted")
  end
  raise Refusal, "chain-untrusted" unless store.chain.map(&:to_der) == [leaf, intermediate, root].map(&:to_der)

  marked = ->(certificate, marker) { certificate.extensions.any? { |extension| extension.oid == marker } }
  raise Refusal, "intermediate-marker-missing" unless marked[intermediate, INTERMEDIATE_MARKER]
  raise Refusal, "leaf-marker-missing" unless marked[leaf, LEAF_MARKER]
end

def read_object(text, reason)
  value = JSON.parse(decode64(text))
  value.is_a?(Hash) ? value : raise(Refusal, reason)
rescue ArgumentError, JSON::ParserError
  raise Refusal, reason
end

# Returns the payload of a genuine notification; raises Refusal.
def verify(signed_payload, app, environment, root)
  parts = signed_payload.split(".", -1)
  raise Refusal, "not-three-parts" unless parts.length == 3 && parts.none?(&:empty?)

  header = read_object(parts[0], "header-unreadable")
  raise Refusal, "algorithm-not-es256" unless header["alg"] == "ES256"
  raise Refusal, "chain-missing" unless header["x5c"].is_a?(Array) && header["x5c"].all?(String)
  raise Refusal, "chain-length" unless header["x5c"].length == 3

  payload = read_object(parts[1], "payload-unreadable")
  begin
    # The third certificate is not read: the root comes from the settings only.
    leaf, intermediate = header["x5c"].first(2).map { |text| OpenSSL::X509::Certificate.new(text.unpack1("m0")) }
  rescue ArgumentError, OpenSSL::X509::CertificateError
    raise Refusal, "certificate-unreadable"
  end
  signed_date = payload["signedDate"]
  # Beyond 64 bits there is no time to compare with.
  raise Refusal, "payload-unreadable" if signed_date && !(signed_date.is_a?(Integer) && signed_date.abs < 2**62)

  check_chain(leaf, intermediate, root, signed_date ? Time.at(signed_date / 1000) : Time.now)

  key = leaf.public_key
  raise Refusal, "leaf-key-not-p256" unless key.is_a?(OpenSSL::PKey::EC) && key.group.curve_name == "prime256v1"

  raise Refusal, "signature-wrong" unless signed?(parts, key)

  required = %w[notificationType notificationUUID version signedDate]
  # A test notification has `data` in place of a token.
  about = payload["externalPurchaseToken"] || payload["data"]
  raise Refusal, "payload-incomplete" unless required.all? { |member| payload[member] } && about.is_a?(Hash)
  raise Refusal, "wrong-app" unless about["bundleId"] == app["bundleId"]
  raise Refusal, "wrong-app" if environment == "production" && about["appAppleId"] != app["appAppleId"]

  id = about["externalPurchaseId"]
  is_sandbox = id ? id.to_s.start_with?("SANDBOX") : about["environment"] == "Sandbox"
  raise Refusal, "wrong-environment" unless is_sandbox == (environment == "sandbox")

  payload
end
