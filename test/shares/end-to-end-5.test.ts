import { describeShare } from '../groups.ts';

describeShare('end-to-end', 5);
