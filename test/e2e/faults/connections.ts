import { fullServer } from '../../gateway/outbound/full-server.ts'
import { cutAt, drip, end, httpHead, reset, stall, wait, write } from '../../support/fault/steps.ts'
import type { Script } from '../../support/fault/upstream.ts'
import { answerWell } from '../../support/fault/well.ts'
import { always, both, broken, type Fault, fails, silent, well } from './fault.ts'
import { half, otherHalf, wellBut, wellBytes, wellType } from './pieces.ts'

const inHead: Script = (request) => cutAt(wellBytes(request), 25, wait(20), reset)
const lost = fails('connection_lost')
const fast = { first_byte: '400ms' }

/** Connections that are not made, break, or fall silent. */
export const connectionFaults: Readonly<Record<string, Fault>> = {
  refused: { url: () => 'http://127.0.0.1:9', ...both(fails('connect_failed')) },
  'queue-is-full': {
    ...{ elsewhere: fullServer, timeouts: { connect: '300ms' } },
    ...both(fails('timeout_connect')),
  },
  'reset-at-connect': { server: { atConnect: [reset] }, ...both(lost) },
  'end-at-connect': { server: { atConnect: [end] }, ...both(lost) },
  'silent-at-connect': {
    ...{ server: { atConnect: [stall] }, timeouts: fast },
    ...both(fails('timeout_first_byte')),
  },
  'speaks-first': { server: { atConnect: [write('220 mail.example ESMTP\r\n')] }, ...both(lost) },
  'reset-at-head': { server: { atHead: true }, ...always(lost, reset) },
  'end-at-once': always(lost, end),
  'reset-at-once': always(lost, reset),
  'reset-after-a-byte': always(lost, write('H'), wait(20), reset),
  'no-http': always(lost, write('\u0000\u0001 this is not HTTP \r\n\r\n'), end),
  'reset-in-head': { script: inHead, ...both(lost) },
  'end-in-head': { script: (request) => cutAt(wellBytes(request), 25, end), ...both(lost) },
  'reset-in-body': { script: (request) => half(request, reset), whole: lost, streamed: broken },
  'end-in-body': { script: (request) => half(request, end), whole: lost, streamed: broken },
  'silent-at-once': { ...always(fails('timeout_first_byte'), stall), timeouts: fast },
  'silent-in-head': {
    ...{ script: (request) => cutAt(wellBytes(request), 25, stall), timeouts: fast },
    ...both(fails('timeout_first_byte')),
  },
  'silent-behind-head': {
    script: (request) => [write(httpHead({ type: wellType(request), framing: 'chunked' }))],
    ...{ timeouts: fast, ...both(fails('timeout_first_byte')) },
  },
  'silent-in-body': {
    ...{ script: (request) => half(request, stall), timeouts: { idle: '400ms' } },
    ...{ whole: fails('timeout_idle'), streamed: silent },
  },
  'drips-without-end': {
    script: (request) => {
      const bytes = wellBytes(request)
      return [write(bytes.subarray(0, 80)), drip(bytes.subarray(80), 4, 60)]
    },
    timeouts: { total: '1s' },
    whole: fails('timeout_total'),
    streamed: null,
  },
  drips: { script: (request) => [drip(wellBytes(request), 64, 5)], ...both(well) },
  'takes-its-time': {
    script: (request) => [wait(200), ...half(request, wait(200)), ...otherHalf(request)],
    ...{ timeouts: { first_byte: '2s', idle: '2s' }, ...both(well) },
  },
  'closes-as-announced': {
    script: (request) => [...wellBut(request, { headers: [['connection', 'close']] }), end],
    ...both(well),
  },
  'older-http': {
    script: (request) => [...wellBut(request, { version: '1.0', framing: 'close' }), end],
    ...both(well),
  },
  'hints-first': {
    script: (request) => [
      write(
        httpHead({
          ...{ status: 103, type: null, framing: 'none' },
          headers: [['link', '</x.css>']],
        }),
      ),
      wait(20),
      ...answerWell(request),
    ],
    ...both(well),
  },
  'says-continue': {
    script: (request) => [
      write(httpHead({ status: 100, type: null, framing: 'none' })),
      ...answerWell(request),
    ],
    ...both(well),
  },
}
