import { testQuotes } from './quotes.ts';

testQuotes('/shipping/rates');
