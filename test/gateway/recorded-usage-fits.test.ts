import { describe, expect, test } from 'bun:test'
import { createContextWindows } from '../../src/catalog/model-facts.ts'
import { findVendorPrice } from '../../src/catalog/vendor-prices.ts'
import { usedTokens } from '../../src/gateway/money/record.ts'
import type { AnswerObserver } from '../../src/protocols/protocol.ts'
import { watch } from '../protocols/feeding.ts'
import { hasRecordings, type Recording, recordings } from '../support/recordings.ts'
import { createExchange } from './exchange-parts.ts'
import { protocols } from './relay-scene.ts'

const isSpoken = (name: string): name is keyof typeof protocols => name in protocols

function observe({ sse, body }: Recording, observer: AnswerObserver) {
  if (sse === undefined) observer.pushBody(body)
  else watch(observer, sse)
  return observer.seen
}

/** The model that was asked for, or that the answer names. */
function modelOf({ request, path, body, sse }: Recording): string {
  const inPath = /models\/([^:/]+):/.exec(path ?? '')?.[1]
  const asked = typeof request === 'object' && request !== null && Reflect.get(request, 'model')
  if (typeof asked === 'string') return asked
  const text = sse ?? JSON.stringify(body)
  return inPath ?? /"(?:model|modelVersion)":\s*"([^"]+)"/.exec(text)?.[1] ?? ''
}

/** Of an answer that was recorded: undefined where nothing is known that it could be held to. */
async function usageOf(recording: Recording, windows: ReturnType<typeof createContextWindows>) {
  const { protocol, status, request, features } = recording
  const price = findVendorPrice(modelOf(recording))
  // Whether the vendor ran tools of its own is known from the request, where that was kept.
  if (request === undefined && features.includes('server_tools')) return undefined
  if (status !== 200 || price === undefined || !isSpoken(protocol)) return undefined
  const row = {
    ...price,
    model: price.id,
    id: 1,
    validFrom: 0,
    source: 'vendor',
    note: '',
  } as const
  const contextWindow = windows.of(row, [])
  if (contextWindow === null) return undefined
  const made = protocols[protocol]
  const body = { contents: [], ...(typeof request === 'object' && request) }
  const { exchange } = await createExchange({ ...made, body: body as Record<string, unknown> })
  if (!exchange.plan) throw new Error('There is no plan.')
  const offer = { ...exchange.plan.offer, contextWindow }
  const seen = observe(recording, made.operation.createObserver())
  const plan = { ...exchange.plan, offer }
  const used = await usedTokens({ ...exchange, plan }, seen, async () => 0)
  return { used, model: price.id, contextWindow, seen: seen.usage }
}

describe.skipIf(!hasRecordings)('B11: what a vendor has really reported', () => {
  const windows = createContextWindows()
  let looked = 0

  test.each(Object.keys(protocols))('is not cut down: %s', async (protocol) => {
    const cut: unknown[] = []
    for (const recording of recordings.filter((one) => one.protocol === protocol)) {
      const usage = await usageOf(recording, windows)
      if (usage === undefined) continue
      looked++
      const { used, ...about } = usage
      if (used.clamped) cut.push({ id: recording.id, ...about })
    }
    expect(cut).toEqual([])
  })

  test('is much: more than 100 answers were looked at', () => {
    expect(looked).toBeGreaterThan(100)
  })
})
