/** Which run of which task: the fencing token of everything a worker writes. */
export interface TaskRun {
  readonly id: string;
  readonly attempt: number;
}

/** A part of the work of a task that is done for good: what the worker that follows a dead one need not do again. */
export interface Checkpoint {
  /** 0, 1, 2 ... */
  readonly seq: number;
  /** Items of the task's own unit: the place of the first in all, and how many. */
  readonly first: number;
  readonly count: number;
  /** Small JSON that is given back with the list of parts. */
  readonly summary: unknown;
}

/** Crashes of the worker thread that earlier runs of a task met; ends of the whole process are not among them. */
export interface TaskCrashes {
  /** Since the task kept something last; from one again when a step was found to be the cause. */
  readonly count: number;
  /** How often the thread crashed on a step that it worked on alone. */
  readonly bySteps: Readonly<Record<string, number>>;
}

/** What a handler stores of its work, so that it survives a crash of its worker. */
export interface Checkpoints {
  /** What earlier attempts and this one have kept, in order and without gaps. */
  list(): Promise<readonly Checkpoint[]>;
  /** Resolves when the part is stored. A worker that lost its lease keeps nothing: the signal aborts then. */
  keep(part: Checkpoint, bytes: Uint8Array): Promise<void>;
  /** How earlier runs crashed. */
  crashes(): Promise<TaskCrashes>;
  /**
   * Notes the step that the task works on alone from now on, in ASCII words such as `reading row 7`; null: on several, or on none that has a
   * name. The note lies in memory that outlives the thread, so that every row may have one.
   */
  begin(step: string | null): void;
  /** The bytes of a checkpoint. */
  read(seq: number): Promise<Uint8Array>;
}

/** The database's side of it. */
export interface CheckpointStore {
  list(run: TaskRun): Promise<readonly Checkpoint[]>;
  /** False when the run is no longer this process's. A task that keeps something is alive: its crashes are forgotten. */
  keep(run: TaskRun, part: Checkpoint, bytes: Uint8Array): Promise<boolean>;
  crashes(run: TaskRun): Promise<TaskCrashes>;
  /** Null when there is no such part. */
  read(run: TaskRun, seq: number): Promise<Uint8Array | null>;
}

/** What a thread requests from the runner about checkpoints. */
export type CheckpointRequest =
  | { readonly type: 'list' }
  | { readonly type: 'crashes' }
  | { readonly type: 'keep'; readonly part: Checkpoint; readonly bytes: Uint8Array }
  | { readonly type: 'read'; readonly seq: number };

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
