import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readConfig } from './config.ts';
import { ConfigError } from './settings/forms.ts';

const KEY = 'k'.repeat(32);
const BUCKET = { DROP_S3_ACCESS_KEY_ID: 'AKID', DROP_S3_SECRET_ACCESS_KEY: 'hush' };
const STRIPE = { STRIPE_SECRET_KEY: 'sk_live_abc', STRIPE_WEBHOOK_SECRET: 'whsec_abc' };

test('with nothing set the service has the defaults of the operating contract (8 cancellation window, 8 webhook time-out, 8 webhook retries, 6.6 latency, 8 rate limits)', () => {
  const { dataDir, trustedPrivateHosts, ...config } = readConfig({});
  assert.ok(dataDir.endsWith('/.data'));
  assert.equal(trustedPrivateHosts.size, 0);
  assert.deepEqual(config, {
    port: 8080,
    host: '127.0.0.1',
    baseUrl: 'http://127.0.0.1:8080',
    dropUrl: undefined,
    dropBucket: undefined,
    dropPort: 8_081,
    databaseUrl: undefined,
    blobStore: 'file:',
    cancellationWindowSeconds: 3_600,
    problemWindowDays: 30,
    problemAnswerHours: 48,
    cancellationAnswerHours: 24,
    webhookFlushSeconds: 300,
    webhookRetrySeconds: [60, 300, 1_500, 7_200, 36_000, 36_000],
    webhookTimeoutMs: 10_000,
    rateLimitTokenPerMinute: 600,
    rateLimitIpPerMinute: 1_200,
    autoSettleHours: 72,
    autoPromote: false,
    shipRequires: 'started',
    retentionSweep: true,
    signUp: 'closed',
    sageCodes: new Map(),
    secondPersonFromGbp: 500,
    topUpMaxGbp: 0,
    xeroCodes: new Map(),
    keepEventsDays: 30,
    keepArtworkDays: 90,
    keepCancelledArtworkDays: 7,
    keepAddressesDays: 2_200,
    keepUnpaidAddressesDays: 90,
    keepProblemPhotosDays: 180,
    keepAuditDays: 2_557,
    keepTasksDays: 730,
    keepMailDays: 30,
    keepFailedJobsDays: 30,
    keepRevokedTokensDays: 365,
    trustProxy: undefined,
    logLevel: 'info',
    secretKey: undefined,
    erasureLedger: undefined,
    formerSecretKeys: [],
    seller: { name: '', addressLines: [], vatNumber: '', vatRegistration: undefined, timeZone: 'Europe/London' },
    shopify: undefined,
    stripe: undefined,
    mail: undefined,
  });
});

test('what is set is taken: blanks around it are not meant, an empty value is none', () => {
  const config = readConfig({
    PORT: ' 0 ',
    HOST: '::1',
    BASE_URL: 'https://print.example/',
    WEBHOOK_FLUSH_SECONDS: '0',
    WEBHOOK_RETRY_SECONDS: '1, 2,3',
    TRUSTED_PRIVATE_HOSTS: 'CDN.internal:443, [::1]:8443,10.0.0.5:8443',
    TRUST_PROXY: '10.0.0.0/8, ::1',
    LOG_LEVEL: '',
    AUTO_PROMOTE: 'On',
    SHIP_REQUIRES: 'Finished',
  });
  assert.equal(config.autoPromote, true);
  assert.equal(config.shipRequires, 'finished');
  assert.equal(readConfig({}).autoPromote, false);
  assert.equal(config.port, 0);
  assert.equal(config.baseUrl, 'https://print.example');
  assert.equal(config.webhookFlushSeconds, 0);
  assert.deepEqual(config.webhookRetrySeconds, [1, 2, 3]);
  assert.deepEqual([...config.trustedPrivateHosts], ['cdn.internal:443', '[::1]:8443', '10.0.0.5:8443']);
  assert.equal(config.trustProxy, '10.0.0.0/8, ::1');
  assert.equal(config.logLevel, 'info');
  assert.equal(readConfig({ HOST: '::1', PORT: '9000' }).baseUrl, 'http://[::1]:9000');
});

test('earlier keys stand with commas between, and a comma within one is written %2C', () => {
  const other = `100%25 of ${'o'.repeat(30)}%2Cand`;
  const { formerSecretKeys } = readConfig({ SECRET_KEY_OLD: ` ${KEY}, ${other} ,` });
  assert.deepEqual(formerSecretKeys, [KEY, `100% of ${'o'.repeat(30)},and`]);
});

test('a seller is registered for VAT, is not, or is from a day on that begins at midnight where it is', () => {
  const numbered = { SELLER_VAT_NUMBER: ' gb 999 9999 73 ' };
  const registration = (env: Record<string, string>) => readConfig(env).seller.vatRegistration;
  assert.equal(readConfig(numbered).seller.vatNumber, 'GB999999973');
  assert.equal(registration({ ...numbered, SELLER_VAT_REGISTERED: 'Yes' }), 'yes');
  assert.equal(registration({ SELLER_VAT_REGISTERED: 'NO' }), 'no');
  assert.deepEqual(registration({ SELLER_VAT_REGISTERED: '2028-02-29' }), {
    day: '2028-02-29',
    from: new Date('2028-02-29T00:00:00.000Z'),
  });
  assert.deepEqual(registration({ SELLER_VAT_REGISTERED: '2027-07-01' }), {
    day: '2027-07-01',
    from: new Date('2027-06-30T23:00:00.000Z'),
  });
  assert.deepEqual(registration({ SELLER_VAT_REGISTERED: '2027-07-01', SELLER_TIME_ZONE: 'utc' }), {
    day: '2027-07-01',
    from: new Date('2027-07-01T00:00:00.000Z'),
  });
});

describe('a wrong setting is named in one line', () => {
  const cases: [name: string, value: string, others?: Record<string, string>][] = [
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['PORT', '0x50'],
    ['PORT', 'http'],
    ['DATABASE_URL', 'mysql://somewhere', { SECRET_KEY: KEY }],
    ['SECRET_KEY', 'short'],
    ['SECRET_KEY', '', { DATABASE_URL: 'postgres://localhost/platen' }],
    ['SECRET_KEY_OLD', 'short'],
    ['SECRET_KEY_OLD', `${KEY},short`],
    ['SECRET_KEY_OLD', `${'a'.repeat(20)},${'b'.repeat(20)}`],
    ['SECRET_KEY_OLD', Array.from({ length: 11 }, () => KEY).join(',')],
    ['DROP_URL', 'http://drop.example'],
    ['DROP_URL', 'https://print.example', { BASE_URL: 'https://print.example' }],
    ['DROP_S3_URL', 'http://drop.example', BUCKET],
    ['DROP_S3_URL', 'https://drop.example/two/words', BUCKET],
    ['DROP_S3_URL', 'https://drop.example/?a=b', BUCKET],
    ['DROP_S3_URL', 'https://print.example/drop', { ...BUCKET, BASE_URL: 'https://print.example' }],
    ['DROP_S3_URL', 'https://drop.example', { ...BUCKET, DROP_URL: 'https://other.example' }],
    ['DROP_S3_URL', 'https://drop.example'],
    ['DROP_S3_URL', 'https://drop.example', { DROP_S3_ACCESS_KEY_ID: 'AKID' }],
    ['DROP_S3_REGION', 'London', { ...BUCKET, DROP_S3_URL: 'https://drop.example' }],
    ['DROP_S3_PREFIX', 'drop', { ...BUCKET, DROP_S3_URL: 'https://drop.example' }],
    ['DROP_S3_PREFIX', '/drop/', { ...BUCKET, DROP_S3_URL: 'https://drop.example' }],
    ['DROP_S3_PREFIX', '../', { ...BUCKET, DROP_S3_URL: 'https://drop.example' }],
    ['DROP_S3_REGION', 'eu-west-2'],
    ['DROP_S3_ACCESS_KEY_ID', 'AKID'],
    ['BASE_URL', 'print.example'],
    ['BASE_URL', 'ftp://print.example'],
    ['BASE_URL', 'https://print.example/api/v1'],
    ['BASE_URL', 'https://print.example/?a=1'],
    ['BLOB_STORE', 's3://bucket'],
    ['BLOB_STORE', '/srv/blobs'],
    ['CANCELLATION_WINDOW_SECONDS', 'an hour'],
    ['PROBLEM_WINDOW_DAYS', '0'],
    ['PROBLEM_WINDOW_DAYS', '91'],
    ['PROBLEM_ANSWER_HOURS', '0'],
    ['CANCELLATION_ANSWER_HOURS', '0'],
    ['KEEP_PROBLEM_PHOTOS_DAYS', '29'],
    ['SHIP_REQUIRES', 'done'],
    ['WEBHOOK_FLUSH_SECONDS', '-5'],
    ['WEBHOOK_RETRY_SECONDS', '60;300'],
    ['WEBHOOK_RETRY_SECONDS', '60,,300'],
    ['WEBHOOK_RETRY_SECONDS', '60,10000000'],
    ['WEBHOOK_RETRY_SECONDS', Array.from({ length: 21 }, () => '1').join(',')],
    ['WEBHOOK_TIMEOUT_MS', '99'],
    ['RETENTION_SWEEP', 'later'],
    // The specification's log reaches back 30 days, and the window for claims is as long.
    ['KEEP_EVENTS_DAYS', '29'],
    ['KEEP_EVENTS_DAYS', '0'],
    ['KEEP_ARTWORK_DAYS', '29'],
    ['KEEP_ARTWORK_DAYS', 'ever'],
    ['KEEP_CANCELLED_ARTWORK_DAYS', '0'],
    ['KEEP_ADDRESSES_DAYS', '89'],
    ['KEEP_ADDRESSES_DAYS', '0'],
    ['KEEP_AUDIT_DAYS', '364'],
    ['KEEP_TASKS_DAYS', '29'],
    ['KEEP_FAILED_JOBS_DAYS', '-1'],
    ['KEEP_REVOKED_TOKENS_DAYS', '1.5'],
    ['RATE_LIMIT_TOKEN_PER_MINUTE', 'off'],
    ['RATE_LIMIT_IP_PER_MINUTE', '1e3'],
    ['TRUSTED_PRIVATE_HOSTS', 'localhost'],
    ['TRUSTED_PRIVATE_HOSTS', 'https://localhost:8443'],
    ['TRUSTED_PRIVATE_HOSTS', 'a:1,user@b:2'],
    ['AUTO_SETTLE_HOURS', '87601'],
    ['TOP_UP_MAX_GBP', '-1'],
    ['TOP_UP_MAX_GBP', '1e4'],
    ['TRUST_PROXY', 'nginx'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '10.0.0.1,,10.0.0.2'],
    ['LOG_LEVEL', 'verbose'],
    ['VALKEY_URL', 'redis://localhost'],
    ['STRIPE_SECRET_KEY', 'sk_live_abc'],
    ['STRIPE_WEBHOOK_SECRET', 'whsec_abc'],
    ['STRIPE_HOST', 'localhost'],
    ['AUTO_PROMOTE', 'sometimes'],
    ['SIGN_UP', 'perhaps'],
    ['SIGN_UP', 'open'],
    ['SIGN_UP', 'approval'],
    ['SHOPIFY_CLIENT_ID', 'abc'],
    ['SHOPIFY_CLIENT_SECRET', 'shpss_abc'],
    ['SMTP_URL', 'smtps://mail.example'],
    ['MAIL_FROM', 'orders@print.example'],
    ...[
      'mail.example',
      'https://mail.example',
      'smtp://',
      'smtps://mail.example/path',
      'smtps://:secret@mail.example',
      'smtp://a%zz@mail.example',
    ].map((url): [string, string, Record<string, string>] => ['SMTP_URL', url, { MAIL_FROM: 'orders@print.example' }]),
    ...['orders', 'Print shop', 'a@b, c@d', 'Print shop <orders@>', '<orders@print.example', 'a b@print.example'].map(
      (from): [string, string, Record<string, string>] => ['MAIL_FROM', from, { SMTP_URL: 'smtps://mail.example' }],
    ),
    ['SELLER_VAT_NUMBER', 'GB123456789'],
    ['SELLER_VAT_NUMBER', '999999973'],
    ['SELLER_VAT_NUMBER', 'DE123456789'],
    ['SELLER_VAT_NUMBER', 'GB999999973', { SELLER_VAT_REGISTERED: 'no' }],
    ['SELLER_TIME_ZONE', 'London'],
    ['SELLER_TIME_ZONE', '+01:00'],
    ['SELLER_VAT_REGISTERED', 'yes'],
    ['SELLER_VAT_REGISTERED', 'perhaps'],
    ['SELLER_VAT_REGISTERED', '2027-02-30'],
    ['SELLER_VAT_REGISTERED', '2027-1-1'],
    ['SELLER_VAT_REGISTERED', '1/1/2027'],
    ['SELLER_VAT_REGISTERED', '2027-01-01T00:00:00Z'],
    ['STRIPE_SECRET_KEY', 'sk with blanks', { STRIPE_WEBHOOK_SECRET: 'whsec_abc' }],
    ...['http://pay.example', 'https://pay.example/v1', 'ftp://pay.example', 'https://a:b@pay.example', '?'].map(
      (host): [string, string, Record<string, string>] => ['STRIPE_HOST', host, STRIPE],
    ),
  ];
  for (const [name, value, others = {}] of cases) {
    test(`${name}=${value}`, () => {
      assert.throws(
        () => readConfig({ ...others, [name]: value }),
        (error: unknown) => {
          assert.ok(error instanceof ConfigError);
          assert.ok(error.message.includes(name), error.message);
          assert.equal(error.message.includes('\n'), false);
          return true;
        },
      );
    });
  }

  test('where the payment provider is: a host, its port, an origin; in the clear only on this machine', () => {
    const hosts: Record<string, object> = {
      '': { protocol: 'https', host: 'api.stripe.com', port: 443 },
      'pay.example': { protocol: 'https', host: 'pay.example', port: 443 },
      'pay.example:8443': { protocol: 'https', host: 'pay.example', port: 8443 },
      'https://pay.example': { protocol: 'https', host: 'pay.example', port: 443 },
      'http://127.0.0.1:12111': { protocol: 'http', host: '127.0.0.1', port: 12_111 },
      'localhost:12111': { protocol: 'http', host: 'localhost', port: 12_111 },
      'https://localhost:12112': { protocol: 'https', host: 'localhost', port: 12_112 },
    };
    for (const [STRIPE_HOST, expected] of Object.entries(hosts)) {
      const { stripe } = readConfig({ ...STRIPE, STRIPE_HOST });
      assert.deepEqual(stripe, { secretKey: 'sk_live_abc', webhookSecret: 'whsec_abc', ...expected }, STRIPE_HOST);
    }
    assert.equal(readConfig({}).stripe, undefined);
  });

  test('where mails go: TLS or not, the port of each, the sign-in decoded', () => {
    const mailOf = (SMTP_URL: string, MAIL_FROM = 'Print shop <orders@print.example>') =>
      readConfig({ SMTP_URL, MAIL_FROM }).mail;
    const from = { name: 'Print shop', address: 'orders@print.example' };
    assert.deepEqual(mailOf('smtps://shop%40print.example:p%3Aw@mail.example'), {
      ...{ host: 'mail.example', port: 465, isSecure: true, user: 'shop@print.example', password: 'p:w', from },
    });
    assert.deepEqual(mailOf('smtp://[::1]:2525', 'orders@print.example'), {
      ...{ host: '::1', port: 2_525, isSecure: false, user: '', password: '', from: { ...from, name: '' } },
    });
    assert.equal(mailOf('smtp://mail.example')?.port, 587);
    assert.equal(readConfig({}).mail, undefined);
  });

  test('the password of the mail server is in no refusal', () => {
    for (const SMTP_URL of [
      'smtps://a:hunter2@',
      'https://a:hunter2@mail.example',
      'smtps://a:hunter2%z@mail.example',
    ]) {
      assert.throws(
        () => readConfig({ SMTP_URL, MAIL_FROM: 'orders@print.example' }),
        (error: Error) => !error.message.includes('hunter2'),
        SMTP_URL,
      );
    }
  });

  test('and a secret is not repeated in it', () => {
    for (const [name, value] of Object.entries({ SECRET_KEY: 'hunter2', STRIPE_SECRET_KEY: 'hunter2' })) {
      assert.throws(
        () => readConfig({ [name]: value }),
        (error: Error) => !error.message.includes('hunter2'),
      );
    }
  });
});

test('a bucket for dropped files is read whole, its slash left out, and a wrong secret is not repeated', () => {
  const { dropBucket } = readConfig({
    ...BUCKET,
    DROP_S3_URL: 'https://store.example:9000/prints/',
    DROP_S3_REGION: 'auto',
  });
  const url = 'https://store.example:9000/prints';
  assert.deepEqual(dropBucket, { url, region: 'auto', prefix: 'drop/', keyId: 'AKID', secret: 'hush' });
  assert.throws(
    () =>
      readConfig({ ...BUCKET, DROP_S3_URL: 'https://a:hunter2@store.example', DROP_S3_SECRET_ACCESS_KEY: 'hunter2 x' }),
    (error: Error) => !error.message.includes('hunter2'),
  );
});

test('the waits before retries may be 20 numbers of seven digits', () => {
  const longest = Array.from({ length: 20 }, () => '9999999');
  assert.deepEqual(readConfig({ WEBHOOK_RETRY_SECONDS: longest.join(',') }).webhookRetrySeconds, longest.map(Number));
});

test('addresses are kept as long as artwork at least: a replacement needs both', () => {
  const { keepAddressesDays } = readConfig({ KEEP_ARTWORK_DAYS: '400', KEEP_ADDRESSES_DAYS: '400' });
  assert.equal(keepAddressesDays, 400);
  assert.throws(
    () => readConfig({ KEEP_ARTWORK_DAYS: '400', KEEP_ADDRESSES_DAYS: '399' }),
    /^ConfigError: KEEP_ADDRESSES_DAYS must be at least KEEP_ARTWORK_DAYS \(400\).*is 399$/,
  );
});
