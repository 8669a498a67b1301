import { batch, computed, signal } from '@preact/signals';
import { call, useCredentials, type Answer } from '../api/client.ts';

type Principal = Answer<'getPrincipal'>;
export type Scope = Principal['scopes'][number];

/** Lives as long as the tab: never in the address, and gone when the tab is closed. */
const KEY = 'firstmile.token';

const token = signal<string | null>(sessionStorage.getItem(KEY));

/** Null until the service has said who the token stands for. */
export const principal = signal<Principal | null>(null);
/** Why there is nobody: nobody came yet, the token was refused, or it was left on purpose. */
export const signedOutBecause = signal<'fresh' | 'refused' | 'left'>('fresh');
/** Why it is unknown whom the stored token stands for; the token may still be good. */
export const sessionError = signal<unknown>(null);
export const hasToken = computed(() => token.value !== null);

useCredentials({ token: () => token.peek(), onRefused: () => signOut('refused') });

/** Takes a token, after a request for whom it stands for. Throws `FirstmileError` for one that is refused. */
export async function signIn(given: string): Promise<void> {
  const who = await call('getPrincipal', { headers: { authorization: `Bearer ${given}` } });
  sessionStorage.setItem(KEY, given);
  batch(() => {
    token.value = given;
    principal.value = who;
  });
}

/** Exchanges email and password for a token of an hour. */
export async function signInWithPassword(email: string, password: string): Promise<void> {
  const { access_token: given } = await call('refreshToken', { body: { email, password } });
  await signIn(given);
}

/** Requests whom the stored token stands for; a refused one is forgotten. */
export async function resumeSession(): Promise<void> {
  if (token.peek() === null) return;
  sessionError.value = null;
  try {
    principal.value = await call('getPrincipal');
  } catch (error) {
    sessionError.value = error;
  }
}

export function signOut(why: 'refused' | 'left' = 'left'): void {
  sessionStorage.removeItem(KEY);
  token.value = null;
  principal.value = null;
  signedOutBecause.value = why;
}

export function may(scope: Scope): boolean {
  return principal.value?.scopes.includes(scope) ?? false;
}
