import { describeUnits } from '../groups.ts';

describeUnits('http');
