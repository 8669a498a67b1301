import type { Static, TObject, TSchema } from 'typebox';
import type { Calls, Json } from './calls.ts';

/** A tool: what assistants read of it, and how its endpoints are called. It has no rules of its own. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: TObject;
  readonly output: TSchema;
  readonly hints: ToolHints;
  run(given: Json, calls: Calls): Promise<object>;
}

interface ToolHints {
  /** Changes nothing; default true. */
  readonly readOnly?: boolean;
  /** Deletes or stops something; default false. */
  readonly destructive?: boolean;
  /** The same call again changes nothing more; default true. */
  readonly idempotent?: boolean;
  /** May query services outside the installation; default false. */
  readonly openWorld?: boolean;
}

/** A tool whose `run` gets what its input schema describes. */
export function tool<I extends TObject>(
  made: Omit<Tool, 'input' | 'run'> & {
    readonly input: I;
    run(given: Static<I>, calls: Calls): Promise<object>;
  },
): Tool {
  return made as unknown as Tool;
}
