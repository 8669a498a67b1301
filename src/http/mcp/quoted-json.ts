/**
 * Characters that change what a person or a model sees: controls, line and paragraph separators, marks of direction, characters
 * without width, tags, and those that begin markup.
 */
const ACTIVE =
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb<>&]|[\u{e0000}-\u{e0fff}]/gu;

/**
 * JSON in which every such character is an escape: the same value for whoever parses it, and plain text for whoever does not.
 */
export function quotedJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(ACTIVE, (text) =>
    [...Array(text.length).keys()].map((i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''),
  );
}
