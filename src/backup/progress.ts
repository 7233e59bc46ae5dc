/** Where a long command reports how far it has come. */
export type Progress = {
  /** A new step begins. */
  readonly begin: (step: string) => void;
  /** So many bytes more are done, of so many in the step where that is known. */
  readonly add: (bytes: number, ofBytes?: number) => void;
  /** Nothing more is reported. */
  readonly end: () => void;
};
