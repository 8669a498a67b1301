import { timingSafeEqual } from 'node:crypto';

/**
 * Whether two digests are equal, in a time that does not depend on where they differ. Both are 32 bytes: comparing the
 * credentials themselves would reveal their length, so callers hash both sides first.
 */
export function sameDigest(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== 32 || b.length !== 32)
    throw new RangeError(`wanted two digests of 32 bytes, got ${a.length} and ${b.length}`);
  return timingSafeEqual(a, b);
}

/** Whether `digest` is in `accepted`; every entry is compared, so that the time does not reveal which one matched. */
export function anySameDigest(digest: Uint8Array, accepted: readonly Uint8Array[]): boolean {
  let found = false;
  for (const candidate of accepted) found = sameDigest(digest, candidate) || found;
  return found;
}
