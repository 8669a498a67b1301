import { describeUnits } from '../groups.ts';

describeUnits('readers');
