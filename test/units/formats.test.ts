import { describeUnits } from '../groups.ts';

describeUnits('formats');
