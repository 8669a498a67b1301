/** A semantic version, as https://semver.org gives its expression; the groups are its three numbers and the pre-release. */
const VERSION =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-z-][\da-z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-z-][\da-z-]*))*))?(?:\+[\da-z-]+(?:\.[\da-z-]+)*)?$/i;

export function isVersion(text: string): boolean {
  return VERSION.test(text);
}

/** Whether a version comes before the release of its three numbers. */
export function isPreRelease(version: string): boolean {
  return VERSION.exec(version)?.[4] !== undefined;
}

/** Negative when `a` is older than `b`; versions that differ in their build alone are in the order of their characters. */
export function compareVersions(a: string, b: string): number {
  const [, majorA, minorA, patchA, preA] = VERSION.exec(a) ?? [];
  const [, majorB, minorB, patchB, preB] = VERSION.exec(b) ?? [];
  return (
    compareNumbers(majorA, majorB) ||
    compareNumbers(minorA, minorB) ||
    compareNumbers(patchA, patchB) ||
    comparePreReleases(preA, preB) ||
    compareTexts(a, b)
  );
}

function comparePreReleases(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  const [partsA, partsB] = [a.split('.'), b.split('.')];
  for (const [i, one] of partsA.entries()) {
    const other = partsB[i];
    if (other === undefined) return 1;
    const [isNumber, otherIsNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
    // Numbers come before words.
    if (isNumber !== otherIsNumber) return isNumber ? -1 : 1;
    const order = isNumber ? compareNumbers(one, other) : compareTexts(one, other);
    if (order !== 0) return order;
  }
  return partsA.length - partsB.length;
}

/** Of any length, without leading zeros. */
function compareNumbers(a = '', b = ''): number {
  return a.length - b.length || compareTexts(a, b);
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
