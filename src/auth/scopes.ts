/** What a token may be used for. */
export const SCOPES = ['validate', 'forest', 'collections', 'review', 'webhooks', 'traces', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];
