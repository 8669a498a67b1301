import { faultOf } from '../../io/source-fault.ts';

/** An index of AEF files that cannot be used. `place` is the id of its source: an address without its query, or a path. */
export class AefIndexError extends faultOf('AefIndexError', 'give another index') {}
