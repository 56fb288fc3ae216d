import type { Dialect, Tokens } from '../../e2e/dialects.ts'
import { errorEvents } from '../../e2e/stream-breaks.ts'
import {
  chunk,
  cutAt,
  drip,
  end,
  httpBytes,
  httpHead,
  lastChunk,
  reset,
  type Step,
  type Steps,
  stall,
  toBytes,
  wait,
  write,
} from './steps.ts'
import { failedBody } from './well.ts'

/** An answer that is to be given. */
export interface Due {
  readonly number: number
  /** What it says that it used. */
  readonly tokens: Tokens
  /** How much is answered: at once, in a few events, in many with pauses, or in megabytes. */
  readonly size: 'whole' | 'short' | 'long' | 'large'
  readonly isStreamed: boolean
  readonly dialect: Dialect
  /** Under which the gateway finds this attempt again. */
  readonly upstreamId: string
  readonly random: () => number
}

type Headers = readonly (readonly [string, string])[]
const idOf = ({ upstreamId }: Due): Headers => [['x-request-id', upstreamId]]
const streamHead = (due: Due): Step =>
  write(httpHead({ type: 'text/event-stream', framing: 'chunked', headers: idOf(due) }))
const piece = ({ dialect }: Due, text: string): Step => write(chunk(dialect.piece(text)))

/** So many pieces of a stream, after its beginning. */
function begun(due: Due, pieces: number, pauseMs: number): Steps {
  const first = write(chunk(due.dialect.first(due.tokens)))
  const said = Array.from({ length: pieces }, (_, at) => [
    piece(due, `part ${at} of ${due.number}. `),
    ...(pauseMs > 0 ? [wait(pauseMs)] : []),
  ])
  return [streamHead(due), first, ...said.flat()]
}

const lasting = (due: Due): Steps => [write(chunk(due.dialect.last(due.tokens))), write(lastChunk)]

const kilobyte = '0123456789abcdef '.repeat(60)
const largePieces = 3_000

/** As it should be. */
export function answerWell(due: Due): Steps {
  if (!due.isStreamed) return [write(wholeBytes(due))]
  if (due.size === 'large') {
    const many = Buffer.concat(Array.from({ length: 16 }, () => chunk(due.dialect.piece(kilobyte))))
    const times = Math.floor(largePieces / 16)
    return [...begun(due, 1, 0), { do: 'repeat', bytes: many, times }, ...lasting(due)]
  }
  const [pieces, pauseMs] = due.size === 'long' ? [20, 20 + due.random() * 60] : [3, 0]
  return [...begun(due, pieces, pauseMs), ...lasting(due)]
}

const wholeBytes = (due: Due): Uint8Array =>
  httpBytes({ body: JSON.stringify(due.dialect.body(due.tokens)), headers: idOf(due) })

const refusal =
  (status: number, more: Headers = []) =>
  (due: Due): Steps => [
    write(
      httpBytes({
        status,
        headers: [...idOf(due), ...more],
        body: JSON.stringify({ error: { message: `This is a ${status}.`, type: 'error' } }),
      }),
    ),
  ]

const message = 'The server had an error while processing your request.'
const some = ({ random }: Due) => Math.floor(random() * 6)

/** Everything that goes wrong by chance. */
export const faults = {
  reset: () => [reset],
  hangup: () => [end],
  stall: () => [stall],
  'half-head': () => [write('HTTP/1.1 200 OK\r\ncontent-ty'), stall],
  garbage: () => [write('\u0000\u0001 this is not HTTP \r\n\r\n'), end],
  'status-400': refusal(400),
  'status-404': refusal(404),
  'status-500': refusal(500),
  'status-503': refusal(503, [['retry-after', '1']]),
  'status-529': refusal(529),
  'status-429': refusal(429, [['retry-after', '1']]),
  redirect: refusal(302, [['location', 'http://127.0.0.1:9/']]),
  'no-json': (due) => [write(httpBytes({ body: '<html>Bad gateway</html>', headers: idOf(due) }))],
  'length-lies': (due) => {
    const body = JSON.stringify(due.dialect.body(due.tokens))
    return [write(httpBytes({ body, length: body.length + 50, headers: idOf(due) })), end]
  },
  'cut-body': (due) => cutAt(wholeBytes(due), -10, reset),
  drip: (due) =>
    answerWell(due).map((step) => (step.do === 'write' ? drip(step.bytes, 40, 5) : step)),
  slow: (due) => [wait(300 + due.random() * 600), ...answerWell(due)],
  'error-inside': (due) => [
    write(
      httpBytes({
        body: JSON.stringify(failedBody[due.dialect.name](message)),
        headers: idOf(due),
      }),
    ),
  ],
  'error-at-once': (due) => [...begun(due, 0, 0), ...failing(due)],
  'error-late': (due) => [...begun(due, 1 + some(due), 20), ...failing(due)],
  cut: (due) => [...begun(due, some(due), 20), reset],
  'cut-in-an-event': (due) => {
    const bytes = toBytes(due.dialect.piece('half of it'))
    return [...begun(due, some(due), 20), write(chunk(bytes.subarray(0, 20))), end]
  },
  'no-last-words': (due) => [...begun(due, some(due), 20), write(lastChunk)],
  'stall-inside': (due) => [...begun(due, some(due), 20), stall],
} satisfies Record<string, (due: Due) => Steps>
export type FaultName = keyof typeof faults

const failing = ({ dialect }: Due): Steps => [
  write(chunk(errorEvents[dialect.name](message))),
  write(lastChunk),
]

/** After these the answer has come whole all the same. */
const harmless = new Set<FaultName>(['drip', 'slow'])
export const isHarmless = (name: FaultName) => harmless.has(name)

const onlyStreamed: readonly FaultName[] = [
  ...(['error-at-once', 'error-late', 'cut', 'cut-in-an-event'] as const),
  ...(['no-last-words', 'stall-inside'] as const),
]
const onlyWhole: readonly FaultName[] = ['no-json', 'length-lies', 'cut-body', 'error-inside']

/** What can go wrong with an answer of either kind. */
export const faultsFor = (isStreamed: boolean): readonly FaultName[] => {
  const others = isStreamed ? onlyWhole : onlyStreamed
  return (Object.keys(faults) as FaultName[]).filter((name) => !others.includes(name))
}
