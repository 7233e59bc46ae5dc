import { testBadDay } from '../harness/linked/bad-day.ts';

testBadDay('woocommerce');
