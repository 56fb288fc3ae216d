import { Tap } from '../../src/gateway/relay/tap.ts'
import type { Observation } from '../../src/protocols/canonical/observation.ts'
import type { Framing, ProtocolError, ProtocolName } from '../../src/protocols/protocol.ts'
import { createSseSplitter } from '../../src/protocols/sse.ts'
import { pushThrough } from '../gateway/push-through.ts'
import { protocols } from '../protocols/translation/pairs.ts'
import { createDice } from './dice.ts'
import { factsFor, othersThan, poolOf } from './scene.ts'
import { makeStream } from './stream-cases.ts'
import { demand, type Trial } from './trial.ts'
import { checkStreamText } from './well-formed.ts'

interface StreamCase {
  readonly pieces: readonly string[]
  /** How many frames are not as they were recorded. */
  readonly changes: number
  /** Which request of the pool was asked. */
  readonly asked: number
  /** The bytes come in chunks that are cut anywhere, by this seed; 0: one for each piece. */
  readonly cut: number
  /** The upstream ends; or the gateway breaks off. */
  readonly ending: 'end' | 'fail'
  /** For clients of gemini. */
  readonly framing: Framing
}

/** Streams of a protocol: written for the clients of all others, as whole streams. */
export function eventTrial(protocol: ProtocolName): Trial<StreamCase> {
  const tally = { streams: 0, ended: 0 }
  return {
    name: 'events',
    protocol,
    tally,
    weight: ({ changes }) => changes,
    make: (dice) => ({
      ...makeStream(protocol, dice),
      asked: dice.below(40),
      cut: dice.once(3) ? 1 + dice.below(1e6) : 0,
      ending: dice.once(5) ? 'fail' : 'end',
      framing: dice.once(4) ? 'json-array' : 'sse',
    }),
    check(input) {
      const chunks = chunksOf(input)
      for (const client of othersThan(protocol)) {
        tally.streams++
        if (checkStream(protocol, client, input, chunks)) tally.ended++
      }
    },
  }
}

/** True when the stream came to an end of its own. */
function checkStream(
  protocol: ProtocolName,
  client: ProtocolName,
  { asked, ending, framing: wanted }: StreamCase,
  chunks: readonly Uint8Array[],
): boolean {
  const framing = client === 'gemini' ? wanted : 'sse'
  const pool = poolOf(client, protocol)
  const translator = pool[asked % pool.length]?.stream(factsFor(framing))
  const observer = protocols[protocol].generation.createObserver()
  const tap = new Tap({
    splitter: createSseSplitter(),
    observer,
    hideUsage: false,
    limit: () => Number.POSITIVE_INFINITY,
    translator,
  })
  const out = chunks.map((chunk) => pushThrough(tap, chunk))
  if (ending === 'end') out.push(tap.end())
  // The relay's own rule for telling that something is missing.
  const isWhole = ending === 'end' && hasEnded(observer.seen)
  let text = out.map((bytes) => decoder.decode(bytes)).join('')
  if (!isWhole) text += translator?.fail(failure) ?? ''
  checkStreamText(client, framing, text)
  const later = chunks.slice(0, 3).map((chunk) => decoder.decode(pushThrough(tap, chunk)))
  later.push(decoder.decode(tap.end()), translator?.fail(failure) ?? '')
  demand(later.join('') === '', () => `written behind the end: ${later.join('').slice(0, 300)}`)
  return isWhole
}

const hasEnded = (seen: Observation) => seen.outcome !== undefined && seen.phase !== 'open'

const decoder = new TextDecoder()
const encoder = new TextEncoder()

const failure: ProtocolError = {
  status: 502,
  code: 'upstream_error',
  message: 'The upstream broke off in the middle of its answer.',
  param: undefined,
  requestId: 'req_fuzz',
}

function chunksOf({ pieces, cut }: StreamCase): readonly Uint8Array[] {
  if (cut === 0) return pieces.map(bytesOf)
  const whole = bytesOf(pieces.join(''))
  const dice = createDice('cut', cut)
  const chunks: Uint8Array[] = []
  for (let from = 0; from < whole.length; ) {
    const to = from + 1 + dice.below(dice.once(5) ? 10 : 2_000)
    chunks.push(whole.subarray(from, to))
    from = to
  }
  return chunks
}

/** U+FFFF stands for a byte that is no UTF-8. */
function bytesOf(piece: string): Uint8Array {
  if (!piece.includes('\uFFFF')) return encoder.encode(piece)
  const parts = piece.split('\uFFFF').map((part) => encoder.encode(part))
  return Buffer.concat(
    parts.flatMap((part, at) => (at === 0 ? [part] : [Uint8Array.of(255), part])),
  )
}
