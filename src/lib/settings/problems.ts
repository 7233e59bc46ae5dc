import { wholeNumber } from './forms.ts';

export const ORDERS = 'Orders';

/** The settings of what customers report and ask: a part of the one table of settings. */
export const PROBLEM_SETTINGS = {
  problemWindowDays: {
    name: 'PROBLEM_WINDOW_DAYS',
    group: ORDERS,
    form: wholeNumber(1, 365),
    default: '30',
    means:
      'How long after the latest parcel of an order its customer can report a problem with it. Not more than `KEEP_ARTWORK_DAYS`.',
  },
  problemAnswerHours: {
    name: 'PROBLEM_ANSWER_HOURS',
    group: ORDERS,
    form: wholeNumber(1, 720),
    default: '48',
    means:
      'Within how many hours the shop means to answer a problem. The customer sees that time; its task has it as deadline.',
  },
  cancellationAnswerHours: {
    name: 'CANCELLATION_ANSWER_HOURS',
    group: ORDERS,
    form: wholeNumber(1, 720),
    default: '24',
    means:
      'Within how many hours the shop means to answer a request to cancel, which customers make after their window. The customer sees that time; its task has it as deadline.',
  },
} as const;
