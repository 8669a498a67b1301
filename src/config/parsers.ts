/*
 * How the texts of settings are read. Each function returns the value, or throws an `Error` whose message says what was
 * wanted; it never repeats the text, which may be a secret.
 */

import { availableParallelism } from 'node:os';
import { type Mailbox, parseMailbox } from '../email/email.ts';

export interface Setting<T> {
  readonly env: string;
  /** The text the setting has when it is absent from the environment. */
  readonly fallback: string;
  /** Returns the value, or throws an `Error` whose message says what was wanted. */
  readonly parse: (text: string) => T;
  readonly doc: string;
  readonly secret?: true;
}

export function setting<T>(
  env: string,
  fallback: string,
  parse: (text: string) => T,
  doc: string,
  secret?: 'secret',
): Setting<T> {
  return secret ? { env, fallback, parse, doc, secret: true } : { env, fallback, parse, doc };
}

/** What a rate limit allows one principal; `null` switches it off. */
type RateLimit = { readonly perMinute: number; readonly perHour: number } | null;

export function wholeNumber(min: number, max: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max)
      throw new Error(`wanted a whole number from ${min} to ${max}`);
    return value;
  };
}

export function threadCount(text: string): number {
  return text === 'auto' ? Math.max(1, availableParallelism() - 1) : wholeNumber(1, 64)(text);
}

/** Threads in addition to one; `auto` is one for each further processor, and not more than seven. */
export function furtherThreads(text: string): number {
  return text === 'auto' ? Math.min(7, availableParallelism() - 1) : wholeNumber(0, 64)(text);
}

export function nonEmpty(text: string): string {
  if (text === '') throw new Error('wanted a text that is not empty');
  return text;
}

/** An address of map tiles with places for their numbers. */
export function tileTemplate(text: string): string {
  const parts = ['{z}', '{x}', '{y}'];
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol) || !parts.every((part) => text.includes(part)))
    throw new Error('wanted an http or https address with {z}, {x} and {y} in it');
  return text;
}

export function optional<T>(parse: (text: string) => T) {
  return (text: string): T | null => (text === '' ? null : parse(text));
}

export function oneOf<const T extends string>(choices: readonly T[]) {
  return (text: string): T => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice === undefined) throw new Error(`wanted one of ${choices.join(', ')}`);
    return choice;
  };
}

export function onOff(text: string): boolean {
  return oneOf(['on', 'off'])(text) === 'on';
}

export function httpUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) throw new Error('wanted an http or https address');
  return text.replace(/\/+$/, '');
}

export function postgresUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol))
    throw new Error('wanted an address such as postgres://user:password@host:5432/name');
  return text;
}

/** A bucket, and what keys in it begin with. */
export function objectStoreUrl(text: string): string {
  const url = URL.parse(text);
  const isPlain = url !== null && `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (!isPlain || !['s3:', 'http:', 'https:'].includes(url.protocol) || !/^[\w./-]*$/.test(url.pathname))
    throw new Error(
      'wanted an address such as s3://bucket/prefix or https://host/bucket/prefix, without user or query',
    );
  return text.replace(/\/+$/, '');
}

export function smtpUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '')
    throw new Error('wanted an address such as smtps://user:password@mail.example.org:465');
  return text;
}

export function mailbox(text: string): Mailbox {
  const parsed = parseMailbox(text);
  if (parsed === null) throw new Error('wanted an address such as Firstmile <firstmile@example.org>');
  return parsed;
}

export function pemPublicKey(text: string): string {
  const pem = text.replaceAll(String.raw`\n`, '\n');
  if (!pem.includes('-----BEGIN PUBLIC KEY-----'))
    throw new Error('wanted a PEM public key that begins with -----BEGIN PUBLIC KEY-----');
  return pem;
}

export function bootstrapToken(text: string): string {
  if (text.length < 32 || /\s/.test(text)) throw new Error('wanted 32 or more characters without white space');
  return text;
}

export function commaList(minLength: number) {
  return (text: string): readonly string[] => {
    const items = text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
    if (items.some((item) => item.length < minLength))
      throw new Error(`wanted keys of ${minLength} or more characters`);
    return items;
  };
}

/** Origins of web pages as browsers write them, with commas between: scheme, host and port, and nothing else. */
export function originList(text: string): readonly string[] {
  const origins = commaList(1)(text);
  for (const origin of origins) {
    const url = URL.parse(origin);
    if (url === null || !['http:', 'https:'].includes(url.protocol) || url.origin !== origin || origin.includes('*'))
      throw new Error(`wanted origins such as https://maps.example.org, got ${JSON.stringify(origin)}`);
  }
  return origins;
}

/** A key or token of another service, as it goes into a header. */
export function serviceKey(text: string): string {
  if (!/^[\x21-\x7e]+$/.test(text)) throw new Error('wanted a key of ASCII characters without white space');
  return text;
}

const MODEL_PROVIDERS = ['openai-compatible', 'anthropic', 'google', 'azure'] as const;

export interface LanguageModelName {
  readonly provider: (typeof MODEL_PROVIDERS)[number];
  readonly model: string;
}

export function languageModel(text: string): LanguageModelName {
  const colon = text.indexOf(':');
  const provider = MODEL_PROVIDERS.find((candidate) => candidate === text.slice(0, colon));
  const model = text.slice(colon + 1).trim();
  if (provider === undefined || model === '')
    throw new Error(`wanted provider:model with one of ${MODEL_PROVIDERS.join(', ')} as provider`);
  return { provider, model };
}

export function rateLimit(text: string): RateLimit {
  if (text === 'off') return null;
  const match = /^(\d+)\/min,\s*(\d+)\/h$/.exec(text);
  if (match === null || Number(match[1]) < 1 || Number(match[2]) < 1)
    throw new Error('wanted `off` or limits such as 100/min,1000/h');
  return { perMinute: Number(match[1]), perHour: Number(match[2]) };
}
