import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { canonicalHostPort, isPrivateName, isPublicAddress, isSameAddress, readTarget } from './addresses.ts';

/** What a URL whose host is an IP address gets: the code of its refusal, or `ok`. */
function verdict(url: string): string {
  const target = readTarget(url, 'The URL');
  if (target.kind === 'refused') return target.code;
  return isPublicAddress(target.host) ? 'ok' : 'ssrf';
}

const V4_LOOPBACK = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0x7f.0.0.0x1',
  '0177.0.0.1',
];
const V4_LOOPBACK_ODD = [
  '017700000001',
  '127.0.0.1.',
  '127.0.0%2e1',
  '%31%32%37.0.0.1',
  '１２７.０.０.１',
  '127。0。0。1',
];
const V4_LOOPBACK_ODDER = ['①②⑦.0.0.1', '127.0.0.\u00ad1', '0X7F.0.1', '127.255.255.254', '127.0.0.0', '127．0．0．1'];
const METADATA = [
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '0xa9.0xfe.0xa9.0xfe',
  '169.16689662',
];
const V4_SPECIAL = [
  ...['0.0.0.0', '0', '0x0', '00', '0.0.0.1', '0.255.255.255', '10.0.0.0', '10.255.255.255', '167772161', '012.1'],
  ...[
    '100.64.0.0',
    '100.100.100.200',
    '100.127.255.255',
    '169.254.0.1',
    '169.254.170.2',
    '172.16.0.0',
    '172.31.255.255',
  ],
  ...[
    '192.0.0.0',
    '192.0.0.192',
    '192.0.2.1',
    '192.31.196.1',
    '192.52.193.1',
    '192.88.99.1',
    '192.168.0.1',
    '192.168.255.255',
  ],
  ...['192.175.48.1', '198.18.0.0', '198.19.255.255', '198.51.100.1', '203.0.113.255', '224.0.0.1', '239.255.255.255'],
  ...['240.0.0.0', '255.255.255.254', '255.255.255.255', '4294967295', '168.63.129.16', '3232235777', '0300.0250.1'],
];
const V6_SPECIAL = [
  ...[
    '::',
    '::1',
    '0:0:0:0:0:0:0:1',
    '0000:0000:0000:0000:0000:0000:0000:0001',
    '::0.0.0.1',
    '::127.0.0.1',
    '::8.8.8.8',
  ],
  ...[
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '::FFFF:10.0.0.1',
    '0:0:0:0:0:ffff:a9fe:a9fe',
    '::ffff:0:8.8.8.8',
  ],
  ...['64:ff9b::127.0.0.1', '64:ff9b::8.8.8.8', '64:ff9b:1::a9fe:a9fe', '100::1', '100:0:0:1::1', '1::1', '5f00::1'],
  ...[
    '2001::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2001:1::1',
    '2001:2::1',
    '2001:3::1',
    '2001:4:112::1',
    '2001:10::1',
  ],
  ...[
    '2001:20::1',
    '2001:30::1',
    '2001:1ff:ffff::1',
    '2001:db8::1',
    '2001:0db8:ffff::',
    '2002:7f00:1::',
    '2002:808:808::1',
  ],
  ...[
    '2620:4f:8000::1',
    '3fff::1',
    '3fff:fff:ffff::1',
    '4000::1',
    'fc00::1',
    'fd00:ec2::254',
    'fd20:ce::254',
    'fe80::1',
  ],
  ...['febf::1', 'fec0::1', 'ff00::1', 'ff02::1', 'ff0e::1', '2a00:1450::5efe:10.0.0.1', '2a00:1450::200:5efe:7f00:1'],
  ...['2a00:1450::100:5efe:8.8.8.8', '2a00:1450::300:5efe:c0a8:1', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
];
const V6_ZONES = ['fe80::1%eth0', 'fe80::1%25eth0', '::1%lo', 'FE80::1%1', '2a00:1450::1%25eth0'];
const PUBLIC = [
  ...['1.0.0.0', '1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
  ...['128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.167.255.255'],
  ...['192.169.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255', '168.63.129.15', '134744072', '0x08080808'],
  ...[
    '2001:200::1',
    '2001:4860:4860::8888',
    '2606:4700:4700::1111',
    '2a00:1450:4009::200e',
    '2003::1',
    '3ffe::1',
    '2000::1',
  ],
  ...['3fff:1000::1', '2001:db9::1', '2a00:1450::5eff:10.0.0.1'],
];

function asUrlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

describe('spec 8 host: an IP address in a URL is judged as the address that would really be contacted (G106, G111)', () => {
  const refused = [
    ...[
      ...V4_LOOPBACK,
      ...V4_LOOPBACK_ODD,
      ...V4_LOOPBACK_ODDER,
      ...METADATA,
      ...V4_SPECIAL,
      ...V6_SPECIAL,
      ...V6_ZONES,
    ],
  ];
  for (const host of refused) {
    it(`refuses ${host}`, () => assert.equal(verdict(`https://${asUrlHost(host)}/a.png`), 'ssrf'));
  }
  for (const host of PUBLIC) {
    it(`allows ${host}`, () => assert.equal(verdict(`https://${asUrlHost(host)}/a.png`), 'ok'));
  }
});

describe('spec 8 scheme: a URL is https, complete, at most 8,192 characters, and carries no sign-in data (G105, G111)', () => {
  const rows: readonly (readonly [string, string])[] = [
    ...['http://8.8.8.8/', 'HTTP://8.8.8.8/', 'ftp://8.8.8.8/', 'file:///etc/passwd', 'data:image/png;base64,AAAA'].map(
      (url) => [url, 'scheme'] as const,
    ),
    ...['gopher://8.8.8.8/', 'javascript:alert(1)', 'wss://8.8.8.8/', 'ws://8.8.8.8/', 'blob:https://8.8.8.8/1'].map(
      (url) => [url, 'scheme'] as const,
    ),
    [`data:${'x'.repeat(10_000)}`, 'scheme'],
    ...[
      '',
      'picture.png',
      '//8.8.8.8/a.png',
      'https://',
      'https://[::1',
      'https://256.1.1.1/',
      'https://1.2.3.4.5/',
    ].map((url) => [url, 'url'] as const),
    ...[
      'https://4294967296/',
      'https://8.8.8.8:99999/',
      'https://[::g]/',
      'https://a b.example/',
      ' https://8.8.8.8/',
    ].map((url) => [url, 'url'] as const),
    ...['https://8.8.8.8/a\nb', 'https://8.8.8.8/a\u0000', 'https://8.8.8.8/\u007f', 'ht\ttps://8.8.8.8/'].map(
      (url) => [url, 'url'] as const,
    ),
    ...[
      'https://user@8.8.8.8/',
      'https://user:word@8.8.8.8/',
      'https://:word@8.8.8.8/',
      'https://10.0.0.1@8.8.8.8/',
    ].map((url) => [url, 'url'] as const),
    [`https://8.8.8.8/${'x'.repeat(8_177)}`, 'url'],
    [`https://8.8.8.8/${'x'.repeat(8_176)}`, 'ok'],
    // What stands behind these is never the host, however much it looks like one.
    ['https://8.8.8.8\\@10.0.0.1/', 'ok'],
    ['https://8.8.8.8#@10.0.0.1/', 'ok'],
    ['https://8.8.8.8/@10.0.0.1', 'ok'],
    ['https://8.8.8.8?@10.0.0.1', 'ok'],
    ['https://10.0.0.1\\@8.8.8.8/', 'ssrf'],
    ['https://10.0.0.1#@8.8.8.8/', 'ssrf'],
    ['https:\\\\10.0.0.1/', 'ssrf'],
    ['https:10.0.0.1/', 'ssrf'],
    ['https:///10.0.0.1/', 'ssrf'],
  ];
  for (const [url, expected] of rows) {
    const shown = url.length > 60 ? `${url.slice(0, 30)}… of ${url.length} characters` : JSON.stringify(url);
    it(`${shown} -> ${expected}`, () => assert.equal(verdict(url), expected));
  }

  it('names the host without brackets or a trailing dot, the default port, and drops the fragment', () => {
    const target = readTarget('https://Art.Example.:443/a?b#c', 'The URL');
    assert.ok(target.kind === 'ok');
    assert.deepEqual([target.host, target.port, target.url.href], ['art.example', 443, 'https://art.example./a?b']);
    assert.equal(canonicalHostPort('[0:0::0:1]:8443'), '[::1]:8443');
    assert.equal(canonicalHostPort('LocalHost:9000'), 'localhost:9000');
    assert.equal(canonicalHostPort('user@host:1'), undefined);
  });
});

describe('spec 8 host: no spelling of a special address passes (G106)', () => {
  const v4Ranges: readonly (readonly [number, number])[] = [
    ...([
      [0x00000000, 8],
      [0x0a000000, 8],
      [0x64400000, 10],
      [0x7f000000, 8],
      [0xa9fe0000, 16],
      [0xac100000, 12],
    ] as const),
    ...([
      [0xc0000000, 24],
      [0xc0000200, 24],
      [0xc0586300, 24],
      [0xc0a80000, 16],
      [0xc6120000, 15],
      [0xc6336400, 24],
    ] as const),
    ...([
      [0xcb007100, 24],
      [0xe0000000, 4],
      [0xf0000000, 4],
    ] as const),
  ];
  const anyV4 = fc.nat(0xffffffff);
  const specialV4 = fc
    .tuple(fc.constantFrom(...v4Ranges), anyV4)
    .map(([[base, bits], random]) => base + (random % 2 ** (32 - bits)));

  it('of IPv4: decimal, hexadecimal, octal, dotted, short and mixed', () => {
    fc.assert(
      fc.property(specialV4, (address) => {
        for (const spelling of spellingsOf(address)) assert.equal(verdict(`https://${spelling}/`), 'ssrf', spelling);
      }),
    );
  });

  it('of IPv6 that carries an IPv4 address, special or public, and of anything outside global unicast', () => {
    const hex = fc.nat(0xffff).map((word) => word.toString(16));
    fc.assert(
      fc.property(anyV4, fc.array(hex, { minLength: 8, maxLength: 8 }), (address, words) => {
        const low = `${(address >>> 16).toString(16)}:${(address & 0xffff).toString(16)}`;
        const rest = words.slice(0, 5).join(':');
        const embedded = [`::${low}`, `::ffff:${low}`, `::ffff:0:${low}`, `64:ff9b::${low}`, `64:ff9b:1::${low}`];
        const tunnelled = [`2002:${low}:${rest}`, `2001:0:${words.slice(0, 6).join(':')}`, `2600:1:2:3:0:5efe:${low}`];
        for (const host of [...embedded, ...tunnelled, `2600:1:2:3:200:5efe:${low}`]) {
          assert.equal(verdict(`https://[${host}]/`), 'ssrf', host);
        }
        const first = Number.parseInt(words[0] ?? '0', 16);
        const whole = words.join(':');
        if (first < 0x2000 || first > 0x3fff) assert.equal(verdict(`https://[${whole}]/`), 'ssrf', whole);
      }),
    );
  });

  it('and what is no address at all is not public', () => {
    for (const text of [
      '',
      'localhost',
      '127.1',
      '0x8.8.8.8',
      '8.8.8.8 ',
      '08.8.8.8',
      '2a00::1%eth0',
      '[2a00::1]',
      '8.8.8',
    ]) {
      assert.equal(isPublicAddress(text), false, text);
    }
  });
});

describe('spec 8 host: names that can only be private are refused without a look-up', () => {
  const rows = [
    'localhost',
    'db',
    'a.localhost',
    'printer.local',
    'metadata.google.internal',
    'nas.home.arpa',
    'x.onion',
    '',
  ];
  for (const host of rows) it(`refuses "${host}"`, () => assert.equal(isPrivateName(host), true));
  for (const host of ['cdn.example', 'localhost.example', 'local.example.com', '8.8.8.8', '2a00::1']) {
    it(`leaves ${host} to its addresses`, () => assert.equal(isPrivateName(host), false));
  }
});

it('two spellings of one address are the same address', () => {
  assert.equal(isSameAddress('2a00:0:0::1', '2a00::0001'), true);
  assert.equal(isSameAddress('127.0.0.1', '127.0.0.2'), false);
  assert.equal(isSameAddress('127.0.0.1', '::ffff:127.0.0.1'), false);
  assert.equal(isSameAddress('localhost', 'localhost'), false);
});

function spellingsOf(address: number): readonly string[] {
  const octets = [address >>> 24, (address >>> 16) & 0xff, (address >>> 8) & 0xff, address & 0xff] as const;
  const [a, b, c] = octets;
  return [
    octets.join('.'),
    String(address),
    `0x${address.toString(16)}`,
    `0${address.toString(8)}`,
    octets.map((octet) => `0x${octet.toString(16)}`).join('.'),
    octets.map((octet) => `0${octet.toString(8)}`).join('.'),
    `${a}.${address & 0xffffff}`,
    `${a}.${b}.${address & 0xffff}`,
    `0${a.toString(8)}.0x${b.toString(16)}.${c}.${address & 0xff}.`,
  ];
}
