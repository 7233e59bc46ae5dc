import { testQuotes } from './quotes.ts';

testQuotes('/tax/rates');
