import { Tap } from '../../src/gateway/relay/tap.ts'
import type { StreamTranslator } from '../../src/gateway/translate/translation.ts'
import { createSecretBox } from '../../src/lib/secrets.ts'
import type { EncodeContext } from '../../src/protocols/canonical/codec.ts'
import { chat } from '../../src/protocols/chat/index.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { messages } from '../../src/protocols/messages/index.ts'
import type { Protocol } from '../../src/protocols/protocol.ts'
import { responses } from '../../src/protocols/responses/index.ts'
import { createSseSplitter } from '../../src/protocols/sse.ts'
import { createEventSealer } from '../../src/protocols/translation/seal.ts'
import { allDialects } from '../e2e/dialects.ts'
import { pushThrough } from '../gateway/push-through.ts'

/**
 * CPU per event of a stream, passed through and translated, for all pairs, in interleaved rounds of
 * one run: what a gateway does with an upstream's chunks, without the network.
 *
 *   bun test/bench/translation.ts [rounds] [streams of a round]
 */
const [rounds = 7, streams = 50] = process.argv.slice(2).map(Number)
const eventsPerStream = 200

const protocols: readonly Protocol[] = [chat, responses, messages, gemini]
const { texts: sealer } = createSecretBox('bench')

/** A stream as an upstream sends it: one chunk for each event. */
function chunksOf(name: string): readonly Uint8Array[] {
  const dialect = allDialects.find((one) => one.name === name)
  if (!dialect) throw new Error(`no dialect ${name}`)
  const tokens = { input: 20, output: eventsPerStream }
  const pieces = Array.from({ length: eventsPerStream }, (_, at) => dialect.piece(`word ${at} `))
  const encoder = new TextEncoder()
  return [dialect.first(tokens), ...pieces, dialect.last(tokens)].map((text) =>
    encoder.encode(text),
  )
}

const context: EncodeContext = {
  requestId: 'req_bench',
  request: { model: 'm', stream: true, turns: [], tools: [], native: [] },
  model: 'm',
  createdAt: 1,
  estimatedInputTokens: 20,
  body: {},
  framing: 'sse',
  library: '',
}

/** As the gateway makes it, without a request. */
function translator(upstream: Protocol, client: Protocol): StreamTranslator {
  const decoder = upstream.codec.createDecoder(context)
  const encoder = client.codec.createEncoder(context)
  const seal = createEventSealer('bench', sealer)
  const write = (events: ReturnType<typeof decoder.push>) => {
    let text = ''
    for (const event of events) text += encoder.push(seal(event))
    return text
  }
  return {
    push: ({ data, event }, json) => write(decoder.push(data, event, json)),
    end: () => write(decoder.end()),
    fail: encoder.fail,
    isAtStop: () => false,
    endAtStop: () => '',
    isOver: () => false,
  }
}

/** Microseconds of CPU per event. */
function measure(chunks: readonly Uint8Array[], upstream: Protocol, client: Protocol): number {
  const before = process.cpuUsage()
  let bytes = 0
  for (let at = 0; at < streams; at++) {
    const tap = new Tap({
      splitter: createSseSplitter(),
      observer: upstream.generation.createObserver(),
      hideUsage: false,
      limit: () => Number.POSITIVE_INFINITY,
      translator: upstream === client ? undefined : translator(upstream, client),
    })
    for (const chunk of chunks) bytes += pushThrough(tap, chunk).byteLength
    bytes += tap.end().byteLength
  }
  if (bytes === 0) throw new Error('nothing came out')
  const { user, system } = process.cpuUsage(before)
  return (user + system) / (streams * chunks.length)
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const pairs = protocols.flatMap((upstream) =>
  protocols.map((client) => ({
    upstream,
    client,
    chunks: chunksOf(upstream.name),
    found: [] as number[],
  })),
)
for (let round = -2; round < rounds; round++) {
  for (const { upstream, client, chunks, found } of pairs) {
    const cost = measure(chunks, upstream, client)
    if (round >= 0) found.push(cost) // the first rounds warm the compiler up
  }
}

console.log('upstream    client      µs/event   above pass-through   ratio')
for (const { upstream, client, found } of pairs) {
  const own = pairs.find((pair) => pair.upstream === upstream && pair.client === upstream)
  const passed = median(own?.found ?? [])
  const cost = median(found)
  console.log(
    [
      upstream.name.padEnd(11),
      client.name.padEnd(11),
      cost.toFixed(2).padStart(8),
      upstream === client ? '' : (cost - passed).toFixed(2).padStart(20),
      upstream === client ? '' : (cost / passed).toFixed(2).padStart(7),
    ].join(' '),
  )
}
