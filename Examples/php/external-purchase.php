<?php
// Reports a sale and its refund as Apple's External Purchase Server API asks, and verifies a signed notification.
// It needs PHP 8.1 or later with the extension openssl, and no package. ../README.md has the settings.

declare(strict_types=1);

require __DIR__ . '/notification.php';

// In production: https://api.storekit.apple.com, and https://api.storekit-sandbox.apple.com for sandbox tokens.
define('BASE_URL', getenv('EMULATOR_URL') ?: 'http://127.0.0.1:8801');
define('CREDENTIALS', getenv('CREDENTIALS') ?: 'keys');
define('ENVIRONMENT', getenv('APPLE_ENVIRONMENT') ?: 'sandbox');
// In production: "Apple Root CA - G3" from https://www.apple.com/certificateauthority/, as a file.
define('ROOT_CERTIFICATE', getenv('ROOT_CERTIFICATE') ?: BASE_URL . '/emulator/v1/root.cer');
const MAXIMUM_BODY = 256 * 1024;

function expect(bool $condition, string $message): void
{
    $condition || throw new RuntimeException($message);
}

/** @return array{int, string} status and body */
function request(string $method, string $url, array $headers = [], ?string $body = null): array
{
    $options = ['method' => $method, 'header' => $headers, 'content' => $body ?? '', 'timeout' => 30];
    // Statuses from 400 on have a body too, and a redirection is no answer of Apple's.
    $context = stream_context_create(['http' => $options + ['ignore_errors' => true, 'follow_location' => 0]]);
    $text = @file_get_contents($url, false, $context);
    expect($text !== false, "$method $url: no answer; is the emulator running?");
    return [(int) explode(' ', $http_response_header[0])[1], $text];
}

function base64url(string $bytes): string
{
    return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
}

// region report
/** ES256 is 64 bytes r‖s. OpenSSL writes DER: a sequence of two integers, each with its length in one byte. */
function rawSignature(string $der): string
{
    $length = ord($der[3]);
    $numbers = [substr($der, 4, $length), substr($der, $length + 6)];
    return implode('', array_map(fn ($number) => str_pad(ltrim($number, "\0"), 32, "\0", STR_PAD_LEFT), $numbers));
}

/** Signs a token for one request; $key is the text of the .p8 file. */
function bearerToken(object $app, string $key): string
{
    $header = ['alg' => 'ES256', 'kid' => $app->keyId, 'typ' => 'JWT'];
    $claims = ['iss' => $app->issuerId, 'iat' => time(), 'exp' => time() + 300, 'aud' => 'appstoreconnect-v1',
        'bid' => $app->bundleId];
    $text = base64url(json_encode($header)) . '.' . base64url(json_encode($claims));
    openssl_sign($text, $der, $key, OPENSSL_ALGO_SHA256) || throw new RuntimeException('the key cannot sign');
    return $text . '.' . base64url(rawSignature($der));
}

/**
 * Sends a report and returns Apple's errors; an empty list means that the report is accepted.
 *
 * After a timeout the outcome is unknown: GET /externalPurchase/v1/reports/{requestIdentifier} tells it. Only if Apple
 * does not have the report, send the same bytes again.
 */
function sendReport(object $app, string $key, array $report): array
{
    $headers = ['Content-Type: application/json', 'Authorization: Bearer ' . bearerToken($app, $key)];
    $body = json_encode($report, JSON_THROW_ON_ERROR);
    [$status, $text] = request('PUT', BASE_URL . '/externalPurchase/v1/reports', $headers, $body);
    return match (true) {
        $status === 200 => [],
        $status === 400 && $text !== '' => json_decode($text, flags: JSON_THROW_ON_ERROR)->errors,
        default => throw new RuntimeException("PUT /externalPurchase/v1/reports: $status $text"),
    };
}
// endregion

/** Calls a control path of the emulator, which Apple does not have. */
function control(string $method, string $path, array $body): object
{
    $url = BASE_URL . '/emulator/v1' . $path;
    [$status, $text] = request($method, $url, ['Content-Type: application/json'], json_encode($body));
    expect(in_array($status, [200, 201], true), "$method /emulator/v1$path: $status $text");
    return json_decode($text, flags: JSON_THROW_ON_ERROR);
}

/** A token is the Base64URL text of a JSON object. It is not signed. */
function decodeToken(string $token): object
{
    return json_decode((string) base64urlDecoded($token), flags: JSON_THROW_ON_ERROR);
}

/** Amounts are integers of 1/1000 of the currency's unit. A cent is 10 of them; a yen, which has no cents, is 1000. */
function milliunits(int $cents): int
{
    return $cents * 10;
}

function uuid(): string
{
    $bytes = random_bytes(16);
    $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
    $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
    return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
}

function lineItem(string $eventType, int $net, int $tax, int $remaining, array $members): array
{
    return [
        'lineItemId' => uuid(),
        'creationDate' => (int) (new DateTimeImmutable())->format('Uv'),
        'eventType' => $eventType,
        'amountTaxExclusive' => milliunits($net),
        'taxAmount' => milliunits($tax),
        'amountTaxInclusive' => milliunits($net + $tax),
        'netAmountTaxExclusive' => milliunits($remaining),
        'pricingCurrency' => 'EUR',
        'reportingCurrency' => 'EUR',
        'taxCountry' => 'NLD',
    ] + $members;
}

/** Store the report before it is sent, so that nothing sends the same sale under another identifier. */
function reportOf(object $token, array $item): array
{
    return ['requestIdentifier' => uuid(), 'externalPurchaseId' => $token->externalPurchaseId,
        'status' => 'LINE_ITEM', 'lineItems' => [$item]];
}

/** Sends a report, prints the outcome and returns the errors. */
function send(string $name, object $app, string $key, array $report): array
{
    $errors = sendReport($app, $key, $report);
    echo "$name {$report['lineItems'][0]['lineItemId']}: ", $errors ? 'refused' : 'accepted', "\n";
    foreach ($errors as $error) {
        echo "  code $error->errorCode, field ", $error->fieldName ?? '-', ": $error->errorMessage\n";
    }
    return $errors;
}

function reportSaleAndRefund(object $app, string $key, object $token): void
{
    // EUR 9.99, of it 1.73 tax.
    $product = ['productType' => 'ONE_TIME_BUY', 'productIdentifier' => 'com.example.shop.gems', 'quantity' => 1];
    $sale = lineItem('BUY', net: 826, tax: 173, remaining: 826, members: $product);
    expect(send('sale', $app, $key, reportOf($token, $sale)) === [], 'the sale was refused');

    // EUR 3.00 go back. Amounts of refunds have no minus sign; the net amount is what is left of the sale.
    $reference = ['referenceLineItemId' => $sale['lineItemId']];
    $refund = reportOf($token, lineItem('REFUND', net: 248, tax: 52, remaining: 826, members: $reference));
    $errors = send('refund', $app, $key, $refund);
    $found = implode(', ', array_map(fn ($error) => "$error->errorCode " . ($error->fieldName ?? '-'), $errors));
    expect($found === '12 netAmountTaxExclusive', "the refund with the net amount of the sale drew '$found'");
    // A refused report leaves nothing behind, so the corrected one has the same identifiers.
    $refund['lineItems'][0]['netAmountTaxExclusive'] = milliunits(826 - 248);
    expect(send('refund', $app, $key, $refund) === [], 'the refund was refused');
}

/** Answers a notification: Apple sends what is not answered with 200 again. */
function receive(object $app, OpenSSLCertificate $root): void
{
    $log = fn (string $line) => file_put_contents('php://stderr', "$line\n");
    try {
        $body = json_decode((string) file_get_contents('php://input', length: MAXIMUM_BODY));
        is_string($body->signedPayload ?? null) || throw new Refusal('body-unreadable');
        $payload = verify($body->signedPayload, $app, ENVIRONMENT, $root);
        $log("notification $payload->notificationUUID: $payload->subtype is genuine");
        // Answer 200 only after the notification is stored.
        http_response_code(200);
    } catch (Refusal $refusal) {
        $log("notification refused: {$refusal->getMessage()}");
        http_response_code(400);
    }
}

/** Serves this file with PHP's own server, to which the emulator sends the notifications. */
function receiveNotifications(object $app, object $token): void
{
    $socket = stream_socket_server('tcp://127.0.0.1:0');
    $address = stream_socket_get_name($socket, false);
    fclose($socket);
    $server = proc_open([PHP_BINARY, '-S', $address, __FILE__], [], $pipes);
    try {
        for ($try = 0; $try < 100 && !@fsockopen("tcp://$address"); $try++) {
            usleep(50_000);
        }
        control('PUT', "/apps/$app->bundleId", ['notificationURL' => "http://$address/"]);
        $order = ['externalPurchaseId' => $token->externalPurchaseId, 'subtype' => 'UNREPORTED'];
        foreach ([null, 'signature-wrong', 'body-unreadable'] as $damage) {
            $record = control('POST', '/notifications', $order + ($damage ? ['damage' => $damage] : []));
            $result = end($record->sendAttempts)->sendAttemptResult ?? 'no attempt';
            $expected = $damage ? 'UNSUCCESSFUL_HTTP_RESPONSE_CODE' : 'SUCCESS';
            $name = $damage ?? 'as signed';
            expect($result === $expected, "the notification ($name) ended with $result, not $expected");
        }
    } finally {
        proc_terminate($server);
    }
}

function main(): void
{
    expect(in_array(ENVIRONMENT, ['sandbox', 'production'], true), 'APPLE_ENVIRONMENT: sandbox or production is right');
    $text = @file_get_contents(CREDENTIALS . '/credentials.json');
    expect($text !== false, CREDENTIALS . '/credentials.json cannot be read; `emulator --credentials` writes it');
    $app = json_decode($text, flags: JSON_THROW_ON_ERROR)->apps[0];
    $isURL = str_starts_with(ROOT_CERTIFICATE, 'http');
    $der = $isURL ? request('GET', ROOT_CERTIFICATE)[1] : @file_get_contents(ROOT_CERTIFICATE);
    $root = certificate((string) $der) ?: throw new RuntimeException(ROOT_CERTIFICATE . ': no certificate in DER');

    if (PHP_SAPI === 'cli-server') {
        receive($app, $root);
        return;
    }
    if ($signedPayload = getenv('SIGNED_PAYLOAD')) {
        $payload = verify($signedPayload, $app, ENVIRONMENT, $root);
        echo "genuine: $payload->notificationType ", $payload->subtype ?? '', "\n";
        return;
    }
    $key = file_get_contents(CREDENTIALS . "/$app->keyFile");
    $order = ['bundleId' => $app->bundleId, 'environment' => ENVIRONMENT];
    $token = decodeToken(control('POST', '/tokens', $order)->token);
    echo "token $token->externalPurchaseId\n";
    reportSaleAndRefund($app, $key, $token);
    receiveNotifications($app, $token);
}

try {
    main();
} catch (Throwable $error) {
    if (PHP_SAPI === 'cli-server') {
        http_response_code(503);
    }
    $word = $error instanceof Refusal ? 'refused' : 'error';
    file_put_contents('php://stderr', "$word: {$error->getMessage()}\n");
    exit(1);
}
