interface Level {
  readonly isArray: boolean;
  index: number;
  key: string;
}

/**
 * The JSON pointer (RFC 6901) of the place where `prefix` ends, relative to the value it begins. `prefix` is the
 * beginning of a JSON value in UTF-8, without a fault up to its last byte.
 */
export function pointerAtEnd(prefix: Uint8Array): string {
  const levels: Level[] = [];
  let awaitsKey = false;
  for (let i = 0; i < prefix.length; i++) {
    const character = String.fromCharCode(prefix[i]);
    const level = levels.at(-1);
    if (character === '"') {
      const end = stringEnd(prefix, i);
      if (awaitsKey && level !== undefined && end <= prefix.length) level.key = decodeKey(prefix.subarray(i, end));
      awaitsKey = false;
      i = end - 1;
    } else if (character === '{' || character === '[') {
      levels.push({ isArray: character === '[', index: 0, key: '' });
      awaitsKey = character === '{';
    } else if (character === '}' || character === ']') {
      levels.pop();
      awaitsKey = false;
    } else if (character === ',' && level !== undefined) {
      level.index += 1;
      level.key = '';
      awaitsKey = !level.isArray;
    }
  }
  return levels
    .filter(({ isArray, key }) => isArray || key !== '')
    .map(segment)
    .join('');
}

/** Just after the closing quote of the string that opens at `start`; beyond the end when it is not closed. */
function stringEnd(bytes: Uint8Array, start: number): number {
  let i = start + 1;
  while (i < bytes.length && bytes[i] !== 0x22) i += bytes[i] === 0x5c ? 2 : 1;
  return i < bytes.length ? i + 1 : bytes.length + 1;
}

function decodeKey(quoted: Uint8Array): string {
  return JSON.parse(Buffer.from(quoted).toString()) as string;
}

function segment({ isArray, index, key }: Level): string {
  return `/${isArray ? index : key.replaceAll('~', '~0').replaceAll('/', '~1').slice(0, 200)}`;
}
