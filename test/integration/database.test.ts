import { describeIntegration } from '../groups.ts';

describeIntegration('database');
