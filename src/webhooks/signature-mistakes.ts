/** Mistakes of a receiver that `diagnoseSignature` distinguishes: what is seen, and what to do about it. */
export const SIGNATURE_MISTAKES = {
  header_missing: {
    detail: 'There is no X-Service-Webhook-Signature header.',
    fix: 'Read the header from the request itself; some frameworks and proxies drop or rename unknown headers.',
  },
  header_malformed: {
    detail: 'The signature header is not as it was sent.',
    fix: 'Give the header unchanged: t=<seconds>, v1=<64 lower-case hex digits>.',
  },
  too_old: {
    detail: 'The signature fits, and it was made too long ago.',
    fix: 'Verify on arrival. Every attempt is signed again, so a delivery that comes late is not old; check the clock.',
  },
  too_new: {
    detail: 'The signature fits, and it was made in the future.',
    fix: 'Set the clock of the receiver, for instance with NTP.',
  },
  secret_empty: {
    detail: 'The secret is empty.',
    fix: 'Check that the setting with the client_secret reaches the process.',
  },
  secret_wrong: {
    detail: 'The secret is not the one of this webhook.',
    fix: 'Use the client_secret of the last registration or rotation; one from before a rotation signs for 24 hours more.',
  },
  secret_white_space: {
    detail: 'There is white space or a line break around the secret.',
    fix: 'Trim what is read from a file or a setting: echo and most editors end a file with a line break.',
  },
  secret_quoted: {
    detail: 'There are quotation marks around the secret.',
    fix: 'Remove them: docker --env-file and some .env readers keep quotation marks as part of the value.',
  },
  secret_prefix_missing: {
    detail: 'whsec_ was cut off the secret.',
    fix: 'For X-Service-Webhook-Signature the key is the whole client_secret, whsec_ included, as UTF-8.',
  },
  secret_base64_decoded: {
    detail: 'The secret was decoded from base64.',
    fix: 'For X-Service-Webhook-Signature the key is the text itself; only Standard Webhooks libraries decode it.',
  },
  body_empty: {
    detail: 'The body is empty.',
    fix: 'Something read the body before: take the raw body ahead of the parser (express.raw, php://input, request.body).',
  },
  body_not_text_of_json: {
    detail: 'The body is the text of an object that was not written as JSON, such as [object Object].',
    fix: 'Take the raw body of the request ahead of the parser.',
  },
  body_reserialised: {
    detail: 'The body was parsed and written again, which changed its bytes.',
    fix: 'Verify the raw bytes of the request and parse them afterwards.',
  },
  body_unescaped: {
    detail: 'The body was written again without \\u escapes.',
    fix: 'Verify the raw bytes of the request: they are ASCII, and every other character is escaped.',
  },
  body_white_space: {
    detail: 'White space was added around the body, such as a line break at its end.',
    fix: 'Use the body as it came; do not read it by lines.',
  },
  body_byte_order_mark: { detail: 'A byte order mark was put before the body.', fix: 'Read the body as bytes.' },
  body_base64: {
    detail: 'The body is encoded as base64.',
    fix: 'Decode it first: API gateways hand over bodies so when isBase64Encoded is true.',
  },
  body_quoted: {
    detail: 'The body is a JSON text inside a JSON text.',
    fix: 'It was written as JSON twice; use it as it came.',
  },
  body_differs: {
    detail: 'The body is not the one that was sent with this header.',
    fix: 'Use body and header of the same request.',
  },
  time_left_out: {
    detail: 'Only the body was signed.',
    fix: 'Sign <t>.<body>: the digits of t from the header, a dot, the raw body.',
  },
  dot_left_out: { detail: 'The dot between time and body is missing.', fix: 'Sign <t>.<body>, with the dot.' },
  other_separator: { detail: 'Time and body are joined by something else than a dot.', fix: 'Sign <t>.<body>.' },
  time_and_body_swapped: { detail: 'The body stands before the time.', fix: 'Sign <t>.<body>, the time first.' },
  time_in_milliseconds: {
    detail: 'The time is in milliseconds.',
    fix: 'Use the digits of t as the header has them; they are seconds.',
  },
  time_with_name: { detail: '"t=" was signed too.', fix: 'Sign only the digits after t=.' },
  standard_webhooks_message: {
    detail: 'The message of Standard Webhooks was signed: <id>.<t>.<body>.',
    fix: 'For X-Service-Webhook-Signature sign <t>.<body>; for webhook-signature also decode the key from base64.',
  },
  digest_upper_case: { detail: 'The digest is in upper case.', fix: 'Write hex digits in lower case.' },
  digest_base64: { detail: 'The digest is written as base64.', fix: 'Write it as 64 hex digits.' },
  digest_not_hmac: {
    detail: 'The digest is a plain SHA-256 of secret and message.',
    fix: 'Use HMAC-SHA256 with the secret as its key.',
  },
  digest_other_hash: { detail: 'HMAC was used with another hash.', fix: 'Use SHA-256.' },
  key_and_message_swapped: {
    detail: 'Key and message were exchanged.',
    fix: 'The secret is the key, <t>.<body> the message; look up the order of arguments.',
  },
  comparison: {
    detail: 'The digest computed is the right one.',
    fix: 'Compare it with the digits after v1= alone, both as text or both as bytes, in constant time.',
  },
  unexplained: {
    detail: 'No known mistake explains it; most often the secret is that of another webhook, or the body was changed.',
    fix: 'Log the raw body as hex, the header and the length of the secret on arrival, and compare them with what was sent.',
  },
} as const satisfies Record<string, { readonly detail: string; readonly fix: string }>;

export type SignatureMistake = keyof typeof SIGNATURE_MISTAKES;
