/** What the service says when it refuses, in the names of this code. */
export type Problem = {
  readonly status: number;
  readonly code: string;
  /** The same for every refusal of this code. */
  readonly title: string;
  /** What went wrong this time and what to change. */
  readonly detail: string;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
};

/** The service answered, and refused. */
export class Refused extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.name = 'Refused';
    this.problem = problem;
  }
}

/** No answer came: the network is lost, or the service is away. Whether a change was made is not known. */
export class NoAnswer extends Error {
  constructor() {
    super('The service could not be reached. Check the connection and try again.');
    this.name = 'NoAnswer';
  }
}

/** The page refuses by itself: its title says what stands in the way, its message what to do. */
export class PageRefused extends Error {
  readonly title: string;

  constructor(title: string, message: string) {
    super(message);
    this.name = 'PageRefused';
    this.title = title;
  }
}

/** Whether a refusal has one of these codes. */
export function isRefusedWith(error: unknown, ...codes: readonly string[]): error is Refused {
  return error instanceof Refused && codes.includes(error.problem.code);
}

/** Reads the flat body of a refusal; one that is none, as of a proxy, still has its status. */
export function problemOf(
  { status, headers }: { readonly status: number; readonly headers: Headers },
  text: string,
): Problem {
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  const basis = {
    status,
    code: 'unreadable',
    title: `The service answered with ${status}`,
    detail: 'Try again in a moment.',
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: Number.isNaN(retryAfter) ? undefined : retryAfter,
    errors: [],
  };
  try {
    const { code, title, detail, errors = [] } = JSON.parse(text) as Partial<Problem>;
    return { ...basis, code: code ?? basis.code, title: title ?? basis.title, detail: detail ?? basis.detail, errors };
  } catch {
    return basis;
  }
}
