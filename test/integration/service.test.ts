import { describeIntegration } from '../groups.ts';

describeIntegration('service');
