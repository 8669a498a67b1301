import { describeShare } from '../groups.ts';

describeShare('oracles', 1);
