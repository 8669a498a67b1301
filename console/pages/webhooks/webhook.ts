import type { Answer } from '../../api/client.ts';

export type Webhook = Answer<'getWebhook'>;
export type AddressWarnings = Answer<'changeWebhook'>['warnings'];
