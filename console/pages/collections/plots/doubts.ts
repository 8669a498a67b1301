/** The checks without which no plot is trusted fully: one that is missing was not looked at. */
const NEEDED = ['position', 'country', 'commodity_zone', 'commodity', 'deforestation'];

/** Without a facility in the file there is nothing to look at. */
const OPTIONAL = new Set(['facility_distance']);

/** What keeps a plot from full confidence, as `check:status`; empty for what was not validated. */
export function doubtsOf(checks: unknown): readonly string[] {
  if (!Array.isArray(checks)) return [];
  const all = checks as readonly { readonly check: string; readonly status: string }[];
  const open = all.filter(({ check, status }) => status !== 'pass' && !(status === 'unknown' && OPTIONAL.has(check)));
  const missing = NEEDED.filter((name) => !all.some(({ check }) => check === name));
  return [...open.map(({ check, status }) => `${check}:${status}`), ...missing.map((check) => `${check}:unknown`)];
}

const SENTENCES = [
  [/^\d+ plots? fails? the check (\w+)\.$/, 'fail'],
  [/^\d+ plots? ha(?:ve|s) a doubt in the check (\w+)\.$/, 'warn'],
  [/^\d+ plots? could not be checked for (\w+)\.$/, 'unknown'],
] as const;

/** The doubt that a reason for the confidence of a collection counts; null for one that is about no check of plots. */
export function doubtOfReason(reason: string): string | null {
  for (const [pattern, status] of SENTENCES) {
    const check = pattern.exec(reason)?.[1];
    if (check !== undefined) return `${check}:${status}`;
  }
  return null;
}
