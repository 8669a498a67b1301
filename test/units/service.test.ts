import { describeUnits } from '../groups.ts';

describeUnits('service');
