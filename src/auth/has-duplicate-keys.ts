const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]]/g;
const COLON = /\s*:/y;

/**
 * Whether any object of a valid JSON text names a member twice. `JSON.parse` keeps the last one in silence, other parsers
 * the first: a signed text that two readers understand differently is refused.
 */
export function hasDuplicateKeys(json: string): boolean {
  const open: Set<string>[] = [];
  for (const match of json.matchAll(TOKEN)) {
    const [token] = match;
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else {
      COLON.lastIndex = match.index + token.length;
      const keys = open.at(-1);
      if (keys === undefined || !COLON.test(json)) continue;
      const key = JSON.parse(token) as string;
      if (keys.has(key)) return true;
      keys.add(key);
    }
  }
  return false;
}
