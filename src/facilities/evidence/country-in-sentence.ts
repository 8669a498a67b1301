/** Names that English uses with an article, as in "in the Philippines". */
const WITH_ARTICLE =
  /^(United |Philippines|Netherlands|Maldives|Comoros|Bahamas|Gambia|Republic |Democratic |Dominican |Central African |Czech Republic|Kingdom |People's |Federated |Isle )|( Islands| Territory| Territories)$/;

/** The name of a country as it stands within a sentence. */
export function countryInSentence(name: string): string {
  return WITH_ARTICLE.test(name) ? `the ${name}` : name;
}
