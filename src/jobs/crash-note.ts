/** Memory that a thread shares with its runner: the step it works on alone. It outlives a crash of the thread. */
export type CrashNote = SharedArrayBuffer;

/** Bytes of a note: the length of its text, then the text. */
const NOTE_BYTES = 64;

export function createCrashNote(): CrashNote {
  return new SharedArrayBuffer(NOTE_BYTES);
}

/** Replaces the note; null: no step. Only ASCII, and as much of it as there is room for. */
export function writeCrashNote(note: CrashNote, step: string | null): void {
  const bytes = new Uint8Array(note);
  const length = Math.min(step?.length ?? 0, NOTE_BYTES - 1);
  for (let i = 0; i < length; i++) bytes[i + 1] = step!.charCodeAt(i);
  bytes[0] = length;
}

/** The step that was noted last, or null. */
export function readCrashNote(note: CrashNote): string | null {
  const [length, ...text] = new Uint8Array(note);
  return length === 0 ? null : String.fromCharCode(...text.slice(0, length));
}
