import { describeUnits } from '../groups.ts';

describeUnits('console');
