import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errors } from 'undici';
import { unavailable } from '../errors.ts';
import { TurnRefused } from '../turns/refusal.ts';
import { type Blame, type CallProgress, ConnectionError, explainFailure, OutboundClosed } from './failures.ts';

const never = new AbortController().signal;

function blameOf(error: unknown, phase: CallProgress['phase'] = 'reaching'): Blame {
  return explainFailure(error, never, { phase }).blame;
}

/** An error of the system, as a socket gives it. */
function system(code: string): Error {
  return Object.assign(new Error(code), { code });
}

describe('whose failure an error is: only what the host or its name did counts against it', () => {
  const rows: Readonly<Record<Blame, readonly string[]>> = {
    host: [
      ...['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'ERR_TLS_CERT_ALTNAME_INVALID', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
      ...['SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERT_REVOKED', 'HOSTNAME_MISMATCH'],
      ...['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'EPROTO'],
      ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_SOCKET_CLOSED'],
      ...['UND_ERR_SOCKET', 'UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'UND_ERR_ABORTED'],
      ...['HPE_INVALID_CONSTANT', 'ERR_ASSERTION', 'ERR_OTHER_ADDRESS'],
    ],
    unclear: [
      ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'ETIMEDOUT', 'EADDRNOTAVAIL', 'EACCES', 'EPERM'],
      ...['ERR_NAME_UNANSWERED', 'EUNHEARDOF'],
    ],
    down: ['EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS', 'EAGAIN', 'EADDRINUSE'],
    busy: [],
  };
  for (const [blame, codes] of Object.entries(rows)) {
    for (const code of codes) it(`${code} -> ${blame}`, () => assert.equal(blameOf(system(code)), blame));
  }

  it('a code that is in no row is the host’s once it was reached', () => {
    assert.equal(blameOf(system('EUNHEARDOF'), 'talking'), 'host');
    assert.equal(blameOf(system('EUNHEARDOF'), 'reaching'), 'unclear');
  });

  it('what lacked of ours for one of several addresses counts before what the others did', () => {
    assert.equal(blameOf(new AggregateError([system('ECONNREFUSED'), system('EMFILE')])), 'down');
    assert.equal(blameOf(new AggregateError([system('ENETUNREACH'), system('ECONNREFUSED')])), 'host');
    assert.equal(blameOf(new AggregateError([system('ECONNREFUSED'), system('ENETUNREACH')])), 'unclear');
  });

  it('no place in a queue is ours, and so is a lack of resources', () => {
    for (const reason of ['full', 'late', 'gone', 'closed'] as const) {
      assert.equal(blameOf(new TurnRefused(reason)), 'busy', reason);
    }
    assert.equal(blameOf(unavailable('Too many connections are open right now.')), 'down');
  });

  it('a deadline is blamed by how far the call had come', () => {
    const signal = AbortSignal.abort();
    const blame = (phase: CallProgress['phase']) => explainFailure(new Error('aborted'), signal, { phase });
    assert.deepEqual(blame('waiting'), { code: 'fetch', reason: 'it took too long', blame: 'busy' });
    assert.equal(blame('reaching').blame, 'unclear');
    assert.equal(blame('talking').blame, 'host');
  });

  it('the end of this process is ours, however far the call had come', () => {
    const signal = AbortSignal.abort(new OutboundClosed());
    for (const phase of ['waiting', 'reaching', 'talking'] as const) {
      assert.equal(explainFailure(new Error('aborted'), signal, { phase }).blame, 'down');
    }
  });

  it('a bug of ours is thrown', () => {
    for (const bug of [new Error('no code'), new TypeError('wrong'), system('ERR_INVALID_ARG_TYPE')]) {
      assert.throws(() => blameOf(bug), bug);
    }
    assert.throws(() => blameOf(new errors.InvalidArgumentError('wrong')), errors.InvalidArgumentError);
  });

  it('no reason names an address or repeats what an error says', () => {
    for (const code of Object.values(rows).flat()) {
      const error = Object.assign(new Error('connect 10.0.0.1:443 banner'), { code, address: '10.0.0.1' });
      assert.doesNotMatch(explainFailure(error, never, { phase: 'talking' }).reason, /10\.0|banner|443/);
    }
    assert.equal(new ConnectionError('ERR_OTHER_ADDRESS').code, 'ERR_OTHER_ADDRESS');
  });
});
