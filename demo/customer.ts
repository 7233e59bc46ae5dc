/** A customer's program: JSON over HTTP with a token, and nothing else of the service. */
export type Customer = {
  readonly get: <Body>(path: string) => Promise<Body>;
  /** Throws an Error unless the answer has one of these statuses. */
  readonly post: <Body>(path: string, body: object, expected: Expected) => Promise<Answer<Body>>;
};

export type Answer<Body> = { readonly body: Body; readonly headers: Headers };

type Expected = { readonly status: number };

/** A customer of the service at `url`; every call ends when `signal` does. */
export function createCustomer(url: string, token: string, signal: AbortSignal): Customer {
  async function call<Body>(method: string, path: string, expected: Expected, body?: object): Promise<Answer<Body>> {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      signal,
    }).catch((error: unknown) => {
      throw new Error(`${method} ${path} got no answer`, { cause: error });
    });
    const text = await response.text();
    if (response.status !== expected.status) {
      throw new Error(`${method} ${path} answered ${response.status} in place of ${expected.status}: ${text}`);
    }
    return { body: JSON.parse(text) as Body, headers: response.headers };
  }
  return {
    get: async <Body>(path: string) => (await call<Body>('GET', path, { status: 200 })).body,
    post: (path, body, expected) => call('POST', path, expected, body),
  };
}
