import { checkBody, parseJsonBody } from '../../../src/gateway/body/body.ts'
import type { JsonObject, ProtocolName } from '../../../src/protocols/protocol.ts'
import { othersThan, readRequest, translate, unlessRefused } from '../../fuzz/scene.ts'
import { protocols } from '../../protocols/translation/pairs.ts'
import { startCpuTime } from '../../support/cpu-time.ts'
import { type Growth, growthsOf } from './grow.ts'
import { leastMs } from './measure.ts'
import { requestSeeds } from './seeds.ts'

/** A model of each protocol's vendor. */
const models: { readonly [name in ProtocolName]: string } = {
  chat: 'gpt-5.1',
  responses: 'gpt-5.1',
  messages: 'claude-sonnet-4-5',
  gemini: 'gemini-3-flash-preview',
}

/** What one grown body took on the way to one upstream. */
export interface Taken {
  readonly pair: string
  readonly growth: string
  readonly bytes: number
  readonly ms: number
  /** Of the same body, or of as many bytes of a usual conversation, whichever is more. */
  readonly parseMs: number
  /** Bytes that go upstream, for each of the body. */
  readonly written: number
}

const usual = JSON.stringify(
  Array.from({ length: 4_000 }, (_, at) => ({ role: 'user', content: `hello there ${at}` })),
)
const usualMsPerByte = leastMs(() => JSON.parse(usual), 10) / usual.length

/** All ways in which requests of a protocol can grow. */
export function allGrowths(protocol: ProtocolName): readonly Growth[] {
  const done = new Set<string>()
  return requestSeeds(protocol).flatMap((seed: JsonObject) => growthsOf(seed, done))
}

/** Reads a grown body as the gateway does, and translates it for each other protocol. */
export async function take(
  client: ProtocolName,
  growth: Growth,
  bytes: number,
  runs: number,
): Promise<readonly Taken[]> {
  const text = JSON.stringify(growth.body(bytes))
  const body = Buffer.from(text)
  const parseMs = Math.max(
    leastMs(() => JSON.parse(text), 3),
    usualMsPerByte * body.length,
  )
  const facts = { growth: growth.name, bytes: body.length, parseMs }
  const read = () => {
    const checked = checkBody(parseJsonBody(body), protocols[client].generation)
    checked.facts.media()
    return checked.facts.text()
  }
  const ms = leastMs(() => unlessRefused(read), runs)
  const taken: Taken[] = [{ ...facts, pair: `${client} → ${client}`, ms, written: 1 }]
  for (const upstream of othersThan(client)) {
    let least = Number.POSITIVE_INFINITY
    let written = 0
    for (let run = 0; run < runs; run++) {
      const takenMs = startCpuTime()
      const asked = readRequest(client, text)
      const translation = asked && translate(asked, upstream, models[upstream])
      const sent = await translation?.encode(new AbortController().signal).catch(() => undefined)
      least = Math.min(least, takenMs())
      written = (sent?.length ?? 0) / body.length
    }
    taken.push({ ...facts, pair: `${client} → ${upstream}`, ms: least, written })
  }
  return taken
}
