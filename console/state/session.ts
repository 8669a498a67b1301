import { batch, computed, effect, signal } from '@preact/signals';
import { call, useCredentials, type Answer } from '../api/client.ts';

type Principal = Answer<'getPrincipal'>;
export type Scope = Principal['scopes'][number];

/** Lives as long as the tabs of the console: never in the address nor on disk, and gone when the last of them is closed. */
const KEY = 'firstmile.token';
/** How long a new tab waits for the others to say whether somebody is signed in; they answer within a few milliseconds. */
const OTHERS_MS = 250;

const token = signal<string | null>(sessionStorage.getItem(KEY));

/** Null until the service has said who the token stands for. */
export const principal = signal<Principal | null>(null);
/** Why there is nobody: nobody came yet, the token was refused, or it was left on purpose. */
export const signedOutBecause = signal<'fresh' | 'refused' | 'left'>('fresh');
/** Why it is unknown whom the stored token stands for; the token may still be good. */
export const sessionError = signal<unknown>(null);
export const hasToken = computed(() => token.value !== null);

useCredentials({ token: () => token.peek(), onRefused: () => signOut('refused') });

/** What tabs of the same browser say to each other; no other site hears it. */
type Said =
  | { readonly type: 'who' }
  | { readonly type: 'here'; readonly token: string }
  | { readonly type: 'out'; readonly token: string; readonly why: 'refused' | 'left' };

const others = new BroadcastChannel('firstmile.session');
others.addEventListener('message', ({ data }: MessageEvent<Said>) => {
  const own = token.peek();
  if (data.type === 'who' && own !== null) say({ type: 'here', token: own });
  else if (data.type === 'here' && own === null) void resumeSession(data.token);
  else if (data.type === 'out' && data.token === own) forget(data.why);
});

function say(what: Said): void {
  // A channel has no other origin to send to.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  others.postMessage(what);
}

/** Resolves when another tab has given its token and the service has said whose it is, or none has for `OTHERS_MS`. */
async function findOthers(): Promise<void> {
  const given = Promise.withResolvers<void>();
  const stop = effect(() => {
    if (principal.value !== null || sessionError.value !== null) given.resolve();
  });
  const timer = setTimeout(() => given.resolve(), OTHERS_MS);
  say({ type: 'who' });
  await given.promise;
  clearTimeout(timer);
  stop();
}

/** Takes a token, after a request for whom it stands for. Throws `FirstmileError` for one that is refused. */
export async function signIn(given: string): Promise<void> {
  const who = await call('getPrincipal', { headers: { authorization: `Bearer ${given}` } });
  sessionStorage.setItem(KEY, given);
  batch(() => {
    token.value = given;
    principal.value = who;
  });
  say({ type: 'here', token: given });
}

/**
 * A token out of what people paste: a whole header, `Bearer` and the token, quotes around it, and the ends of lines that terminals
 * break it with.
 */
export function tokenIn(pasted: string): string {
  return pasted
    .trim()
    .replace(/^["'`]?(?:authorization\s*[:=]\s*)?(?:["'`]?bearer(?:\s+|$))?/i, '')
    .replaceAll(/[\s"'`]+/g, '');
}

/** Exchanges email and password for a token of an hour. */
export async function signInWithPassword(email: string, password: string): Promise<void> {
  const { access_token: given } = await call('refreshToken', { body: { email, password } });
  await signIn(given);
}

/** Requests whom the stored token stands for, or that of another tab; a refused one is forgotten. */
export async function resumeSession(given: string | null = token.peek()): Promise<void> {
  if (given === null) return await findOthers();
  if (token.peek() === null) {
    sessionStorage.setItem(KEY, given);
    token.value = given;
  }
  sessionError.value = null;
  try {
    principal.value = await call('getPrincipal');
  } catch (error) {
    sessionError.value = error;
  }
}

/** Signs out here and in every other tab. */
export function signOut(why: 'refused' | 'left' = 'left'): void {
  const own = token.peek();
  forget(why);
  if (own !== null) say({ type: 'out', token: own, why });
}

function forget(why: 'refused' | 'left'): void {
  sessionStorage.removeItem(KEY);
  token.value = null;
  principal.value = null;
  signedOutBecause.value = why;
}

export function may(scope: Scope): boolean {
  return principal.value?.scopes.includes(scope) ?? false;
}
