<?php
// Receives webhooks with PHP 8 or later: WEBHOOK_SECRET=whsec_... php -S 127.0.0.1:9000 receiver.php

const TOLERANCE_S = 300;
const MAX_BODY_BYTES = 1_000_000;

/** True when the raw body was signed with one of the secrets within the tolerance. */
function verify(string $body, string $header, array $secrets): bool
{
    if (preg_match('/^t=([0-9]{1,12}), ?v1=([0-9a-f]{64})$/D', $header, $match) !== 1) {
        return false;
    }
    if (abs(time() - (int) $match[1]) > TOLERANCE_S) {
        return false;
    }
    foreach ($secrets as $secret) {
        if (hash_equals(hash_hmac('sha256', $match[1] . '.' . $body, $secret), $match[2])) {
            return true;
        }
    }
    return false;
}

// While you rotate the secret, give both, separated by a comma.
$secrets = explode(',', getenv('WEBHOOK_SECRET'));
$body = file_get_contents('php://input', length: MAX_BODY_BYTES + 1);
if (strlen($body) > MAX_BODY_BYTES) {
    http_response_code(413);
    return;
}
if (!verify($body, $_SERVER['HTTP_X_SERVICE_WEBHOOK_SIGNATURE'] ?? '', $secrets)) {
    http_response_code(401);
    return;
}
$event = json_decode($body, flags: JSON_THROW_ON_ERROR);
// Insert $event->id into a table with a unique key; when it is there already, only answer 200.
error_log("$event->type $event->id"); // Put it on a queue here; do slow work after the answer.
http_response_code(200);
