/** Which run of which task: the fencing token of everything a worker writes. */
export interface TaskRun {
  readonly id: string;
  readonly attempt: number;
}

/** One of the parts that a task was cut into. */
export interface TaskPart {
  /** 0, 1, 2 ... */
  readonly seq: number;
  /** Items of the task's own unit: the place of the first in all, and how many. */
  readonly first: number;
  readonly count: number;
}

/** A part that is done for good. */
export interface Checkpoint extends TaskPart {
  /** Small JSON that is given back with the list of parts. */
  readonly summary: unknown;
}

/** The task is cut into the first `parts` parts that are staged. */
export interface TaskCut {
  readonly parts: number;
  /** Items in all, in the task's own unit. */
  readonly total: number;
  /** What the task is at while its parts are worked on. */
  readonly phase: string;
  /** Small JSON for the run that joins the parts. */
  readonly cut: unknown;
}

/** A part was prepared before the task was cut: what its own run goes on with. */
export interface PreparedPart {
  readonly prepared: Uint8Array;
}

/** A part is done: what is stored of it. */
export interface PartResult {
  readonly summary: unknown;
  readonly bytes: Uint8Array;
}

/** Crashes of the worker thread that earlier runs of a task met; ends of the whole process are not among them. */
export interface TaskCrashes {
  /** Since the task kept something last; from one again when a step was found to be the cause. */
  readonly count: number;
  /** How often the thread crashed on a step that it worked on alone. */
  readonly bySteps: Readonly<Record<string, number>>;
}

/** What a handler stores of its work, so that it survives a crash of its worker, and reads of what others stored. */
export interface Checkpoints {
  /** The parts that are done, in order and without gaps. */
  list(): Promise<readonly Checkpoint[]>;
  /** The bytes that came of a part that is done. */
  read(seq: number): Promise<Uint8Array>;
  /** The parts that this run and earlier ones have cut off, in order and without gaps; none once the task is cut. */
  staged(): Promise<readonly TaskPart[]>;
  /**
   * Cuts off the next part with its input; resolves when it is stored. A run that lost its lease stores nothing: the signal
   * aborts then. Until the task is cut a part may be prepared, and only if no later run stages it again (`isFinal`).
   */
  stage(part: TaskPart, input: Uint8Array, isFinal: boolean): Promise<void>;
  /** The input of a part that is staged, as it was given to `stage`. */
  readStaged(seq: number): Promise<Uint8Array>;
  /** Adds a last chunk to the input of a part that is staged. */
  complement(seq: number, input: Uint8Array): Promise<void>;
  /** Stores the second chunk of the input of every part, in place of what was stored so before. */
  share(input: Uint8Array): Promise<void>;
  /** What this part was prepared with. */
  prepared(): Promise<Uint8Array>;
  /** How earlier runs crashed. */
  crashes(): Promise<TaskCrashes>;
  /**
   * Notes the step that the task works on alone from now on, in ASCII words such as `reading row 7`; null: on several, or on none that has a
   * name. The note lies in memory that outlives the thread, so that every row may have one.
   */
  begin(step: string | null): void;
}

/** The database's side of it. */
export interface CheckpointStore {
  list(run: TaskRun): Promise<readonly Checkpoint[]>;
  /** Null when there is no such part. */
  read(run: TaskRun, seq: number): Promise<Uint8Array | null>;
  staged(run: TaskRun): Promise<readonly TaskPart[]>;
  /** False when the run is no longer this process's. A task that stages something is alive: its crashes are forgotten. */
  stage(run: TaskRun, part: TaskPart, input: Uint8Array, isFinal: boolean): Promise<boolean>;
  readStaged(run: TaskRun, seq: number): Promise<Uint8Array | null>;
  complement(run: TaskRun, seq: number, input: Uint8Array): Promise<boolean>;
  share(run: TaskRun, input: Uint8Array): Promise<boolean>;
  /** The task is cut: its parts wait, and it waits for them. */
  cut(run: TaskRun, cut: TaskCut): Promise<boolean>;
  /** The part is prepared, and waits until the task is cut. */
  completePrepared(run: TaskRun, result: PreparedPart): Promise<boolean>;
  /** Null when the part was not prepared. */
  prepared(run: TaskRun): Promise<Uint8Array | null>;
  /** The part is done: its bytes, its share of the progress and its end are recorded at once. */
  completePart(run: TaskRun, part: TaskPart, result: PartResult): Promise<boolean>;
  crashes(run: TaskRun): Promise<TaskCrashes>;
}

/** What a thread requests from the runner about checkpoints. */
export type CheckpointRequest =
  | { readonly type: 'list' }
  | { readonly type: 'read'; readonly seq: number }
  | { readonly type: 'staged' }
  | { readonly type: 'stage'; readonly part: TaskPart; readonly input: Uint8Array; readonly isFinal: boolean }
  | { readonly type: 'readStaged'; readonly seq: number }
  | { readonly type: 'complement'; readonly seq: number; readonly input: Uint8Array }
  | { readonly type: 'share'; readonly input: Uint8Array }
  | { readonly type: 'prepared' }
  | { readonly type: 'crashes' };

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
