/** A distance in metres as people read it: `0 m`, `640 m`, `1,234 m`, `36 km`. Whole metres below 10 km, whole kilometres above. */
export function metres(distance: number): string {
  if (distance >= 10_000) return `${Math.round(distance / 1_000)} km`;
  const whole = Math.round(distance);
  return whole < 1_000 ? `${whole} m` : `${Math.floor(whole / 1_000)},${String(whole % 1_000).padStart(3, '0')} m`;
}

/** Names that English uses with an article, as in "in the Philippines". */
const WITH_ARTICLE =
  /^(United |Philippines|Netherlands|Maldives|Comoros|Bahamas|Gambia|Republic |Democratic |Dominican |Central African |Czech Republic|Kingdom |People's |Federated |Isle )|( Islands| Territory| Territories)$/;

/** The name of a country as it stands within a sentence. */
export function countryInSentence(name: string): string {
  return WITH_ARTICLE.test(name) ? `the ${name}` : name;
}

/** A part from 0 to 1 in percent, with a decimal below 10 %. */
export function percent(share: number): string {
  const hundred = share * 100;
  if (hundred < 0.1) return 'less than 0.1 %';
  return hundred < 10 ? `${hundred.toFixed(1)} %` : `${Math.round(hundred)} %`;
}

/** A text whose first letter is a capital, in one piece: V8 writes texts that were added up as JSON more slowly. */
export function upperFirst(text: string): string {
  return [text.charAt(0).toUpperCase(), text.slice(1)].join('');
}

/** A text whose first letter is small, in one piece. */
export function lowerFirst(text: string): string {
  return [text.charAt(0).toLowerCase(), text.slice(1)].join('');
}
