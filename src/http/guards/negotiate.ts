import { Problem } from '../../errors.ts';

interface Range {
  readonly type: string;
  readonly subtype: string;
  readonly q: number;
}

const MAX_RANGES = 64;
const RANGE = /^([\w!#$&^.+-]+|\*)\/([\w!#$&^.+-]+|\*)$/;

/**
 * Which of the media types offered (the preferred one first) the `Accept` header likes best: by quality, then those it
 * names before those that only a wildcard lets in, then by the order of the offer. A more exact range decides over a wider
 * one, as RFC 9110 wants. No header accepts everything. Throws `Problem('not_acceptable')` that lists the offer.
 */
export function negotiate(accept: string | undefined, offered: readonly string[]): string {
  const ranges = parseAccept(accept ?? '');
  if (ranges.length === 0) return offered[0]!;
  let best: string | null = null;
  let [bestQuality, bestIsNamed] = [0, false];
  for (const mediaType of offered) {
    const { quality, isNamed } = likingOf(mediaType, ranges);
    if (quality > bestQuality || (quality === bestQuality && quality > 0 && isNamed && !bestIsNamed))
      [best, bestQuality, bestIsNamed] = [mediaType, quality, isNamed];
  }
  if (best === null)
    throw new Problem(
      'not_acceptable',
      `Accept: wanted one of ${offered.map(bare).join(', ')}, got ${JSON.stringify(accept!.slice(0, 200))}.`,
    );
  return best;
}

/** Ranges that cannot be read are left out, as if they named something we do not have. */
function parseAccept(accept: string): Range[] {
  const ranges: Range[] = [];
  for (const item of accept.split(',', MAX_RANGES)) {
    if (item.trim() === '') continue;
    const [range, ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    const match = RANGE.exec(range!);
    if (match === null || (match[1] === '*' && match[2] !== '*')) {
      ranges.push({ type: '', subtype: '', q: 0 });
      continue;
    }
    const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    ranges.push({
      type: match[1]!,
      subtype: match[2]!,
      q: q === undefined ? 1 : Math.min(1, Math.max(0, Number(q) || 0)),
    });
  }
  return ranges;
}

/** A media type without its parameters. */
function bare(mediaType: string): string {
  return mediaType.split(';', 1)[0]!;
}

function likingOf(
  mediaType: string,
  ranges: readonly Range[],
): { readonly quality: number; readonly isNamed: boolean } {
  const [type, subtype] = bare(mediaType).split('/');
  const exact = ranges.find((range) => range.type === type && range.subtype === subtype);
  const wide = ranges.find((range) => range.type === type && range.subtype === '*');
  const any = ranges.find((range) => range.type === '*');
  return { quality: (exact ?? wide ?? any)?.q ?? 0, isNamed: exact !== undefined };
}

const MAX_ITEMS = 32;

/**
 * Which of the encodings offered (the preferred one first) the `Accept-Encoding` header likes best, by quality, then by
 * the order of the offer; null where it names none of them. Nothing is refused: the answer can always go out as it is.
 */
export function negotiateEncoding(
  accept: string | readonly string[] | undefined,
  offered: readonly string[],
): string | null {
  const wanted = new Map<string, number>();
  for (const item of String(accept ?? '').split(',', MAX_ITEMS)) {
    const [name, ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    if (name !== undefined && name !== '')
      wanted.set(name === 'x-gzip' ? 'gzip' : name, q === undefined ? 1 : Number(q) || 0);
  }
  let [best, bestQuality] = [null as string | null, 0];
  for (const name of offered) {
    const quality = wanted.get(name) ?? wanted.get('*') ?? 0;
    if (quality > bestQuality) [best, bestQuality] = [name, quality];
  }
  // A client that would rather have it plain gets it plain.
  return bestQuality >= (wanted.get('identity') ?? 0) ? best : null;
}
