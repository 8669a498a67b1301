/** What the answer to the request of a batch may warn of. */
export const BATCH_WARNINGS = {
  no_email_address: {
    message: 'No email address of yours is known, so nothing will be sent; GET /export_eudr_dds gives the same report.',
    fix: 'Use a token of a local user, a JWT with `email` and `email_verified`, or `x-user-email` with the internal key.',
  },
} as const;
export type BatchWarningCode = keyof typeof BATCH_WARNINGS;
