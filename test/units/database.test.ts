import { describeGroup } from './groups.ts';

describeGroup('database');
