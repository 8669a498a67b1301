import { describeGroup } from './groups.ts';

describeGroup('readers');
