<?php
// Verifies notifications that Apple signed.

declare(strict_types=1);

// The identifiers of two extensions that only Apple's certificates for this purpose have.
const INTERMEDIATE_MARKER = '1.2.840.113635.100.6.2.1';
const LEAF_MARKER = '1.2.840.113635.100.6.11.1';

/** A notification that is not genuine; the message is the reason. */
final class Refusal extends RuntimeException {}

/** Returns false for text with characters outside the alphabet. */
function base64urlDecoded(string $text): string|false
{
    return base64_decode(strtr($text, '-_', '+/'), true);
}

function derSignature(string $raw): string
{
    $number = function (string $bytes): string {
        $bytes = ltrim($bytes, "\0");
        if ($bytes === '' || ord($bytes[0]) > 0x7f) {
            $bytes = "\0$bytes";
        }
        return "\x02" . chr(strlen($bytes)) . $bytes;
    };
    $numbers = $number(substr($raw, 0, 32)) . $number(substr($raw, 32));
    return "\x30" . chr(strlen($numbers)) . $numbers;
}

function certificate(string $der): OpenSSLCertificate|false
{
    $lines = chunk_split(base64_encode($der), 64, "\n");
    return @openssl_x509_read("-----BEGIN CERTIFICATE-----\n$lines-----END CERTIFICATE-----\n");
}

function isIssued(OpenSSLCertificate $certificate, OpenSSLCertificate $issuer): bool
{
    [$fields, $above] = [openssl_x509_parse($certificate), openssl_x509_parse($issuer)];
    return $fields['issuer'] === $above['subject']
        && str_contains($above['extensions']['basicConstraints'] ?? '', 'CA:TRUE')
        && str_contains($above['extensions']['keyUsage'] ?? '', 'Certificate Sign')
        && openssl_x509_verify($certificate, openssl_pkey_get_public($issuer)) === 1;
}

/** Returns the payload of a genuine notification; throws Refusal. Nothing asks whether a certificate was revoked. */
function verify(string $signedPayload, object $app, string $environment, OpenSSLCertificate $root): object
{
    $require = fn (bool $condition, string $reason) => $condition || throw new Refusal($reason);
    $parts = explode('.', $signedPayload);
    $require(count($parts) === 3 && !in_array('', $parts, true), 'not-three-parts');
    $header = json_decode((string) base64urlDecoded($parts[0]));
    $require(is_object($header), 'header-unreadable');
    $require(($header->alg ?? null) === 'ES256', 'algorithm-not-es256');
    $require(is_array($header->x5c ?? null), 'chain-missing');
    $require(count($header->x5c) === 3, 'chain-length');
    $payload = json_decode((string) base64urlDecoded($parts[1]));
    $require(is_object($payload), 'payload-unreadable');
    // The third certificate is not read: the root comes from the settings only.
    [$leaf, $intermediate] = array_map(
        fn ($text) => is_string($text) ? certificate((string) base64_decode($text, true)) : false,
        array_slice($header->x5c, 0, 2),
    );
    $require($leaf !== false && $intermediate !== false, 'certificate-unreadable');

    $require(isIssued($intermediate, $root) && isIssued($leaf, $intermediate), 'chain-untrusted');
    $moment = intdiv(is_int($payload->signedDate ?? null) ? $payload->signedDate : time() * 1000, 1000);
    foreach ([$leaf, $intermediate, $root] as $certificate) {
        $fields = openssl_x509_parse($certificate);
        $require($moment <= $fields['validTo_time_t'], 'certificate-expired');
        $require($moment >= $fields['validFrom_time_t'], 'certificate-not-yet-valid');
    }
    $extensions = fn ($certificate) => openssl_x509_parse($certificate)['extensions'] ?? [];
    $require(isset($extensions($intermediate)[INTERMEDIATE_MARKER]), 'intermediate-marker-missing');
    $require(isset($extensions($leaf)[LEAF_MARKER]), 'leaf-marker-missing');

    $key = openssl_pkey_get_public($leaf);
    $require((openssl_pkey_get_details($key)['ec']['curve_name'] ?? '') === 'prime256v1', 'leaf-key-not-p256');
    $signature = (string) base64urlDecoded($parts[2]);
    $isSigned = strlen($signature) === 64
        && openssl_verify("$parts[0].$parts[1]", derSignature($signature), $key, OPENSSL_ALGO_SHA256) === 1;
    $require($isSigned, 'signature-wrong');

    foreach (['notificationType', 'notificationUUID', 'version', 'signedDate'] as $member) {
        $require(isset($payload->$member), 'payload-incomplete');
    }
    // A test notification has `data` in place of a token.
    $token = $payload->externalPurchaseToken ?? null;
    $about = $token ?? $payload->data ?? throw new Refusal('payload-incomplete');
    $require(($about->bundleId ?? null) === $app->bundleId, 'wrong-app');
    $require($environment === 'sandbox' || ($about->appAppleId ?? null) === $app->appAppleId, 'wrong-app');
    $isSandbox = $token
        ? str_starts_with((string) ($token->externalPurchaseId ?? ''), 'SANDBOX')
        : ($about->environment ?? '') === 'Sandbox';
    $require($isSandbox === ($environment === 'sandbox'), 'wrong-environment');
    return $payload;
}
