import { describeShare } from '../groups.ts';

describeShare('contracts', 2);
