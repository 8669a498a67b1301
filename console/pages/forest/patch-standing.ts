/** What a lookup says of a place: a patch, that somebody looked and there is none, or that nobody could look. */
type PatchStanding = 'found' | 'none' | 'unknown';

/** Where a source was read and has no patch. Every other reason for none means that the place was not looked at. */
const LOOKED_AT: ReadonlySet<string> = new Set(['background']);

export function patchStanding({
  geometry,
  properties: { warnings },
}: {
  readonly geometry: unknown;
  readonly properties: { readonly warnings: readonly { readonly code: string }[] };
}): PatchStanding {
  if (geometry !== null) return 'found';
  return warnings.some(({ code }) => LOOKED_AT.has(code)) ? 'none' : 'unknown';
}
