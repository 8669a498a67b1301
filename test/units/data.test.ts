import { describeUnits } from '../groups.ts';

describeUnits('data');
