import { expect, test } from 'bun:test'
import { createContextWindows } from '../../src/catalog/context-windows.ts'
import { findVendorPrice } from '../../src/catalog/vendor-prices.ts'
import { usedTokens } from '../../src/gateway/record.ts'
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

test.skipIf(!hasRecordings)(
  'B11: nothing that a vendor has really reported is cut down',
  async () => {
    const windows = createContextWindows()
    const cut: unknown[] = []
    let looked = 0
    for (const recording of recordings) {
      const { protocol, status, id, request, features } = recording
      const price = findVendorPrice(modelOf(recording))
      // Whether the vendor ran tools of its own is known from the request, where that was kept.
      if (request === undefined && features.includes('server_tools')) continue
      if (status !== 200 || price === undefined || !isSpoken(protocol)) continue
      const row = {
        ...price,
        model: price.id,
        id: 1,
        validFrom: 0,
        source: 'vendor',
        note: '',
      } as const
      const contextWindow = windows.of(row, [])
      if (contextWindow === null) continue
      const made = protocols[protocol]
      const body = { contents: [], ...(typeof request === 'object' && request) }
      const { exchange } = await createExchange({ ...made, body: body as Record<string, unknown> })
      if (!exchange.plan) throw new Error('There is no plan.')
      const offer = { ...exchange.plan.offer, contextWindow }
      const seen = observe(recording, made.operation.createObserver())
      const used = await usedTokens(
        { ...exchange, plan: { ...exchange.plan, offer } },
        seen,
        async () => 0,
      )
      looked++
      if (used.clamped) cut.push({ id, model: price.id, contextWindow, seen: seen.usage })
    }
    expect(cut).toEqual([])
    expect(looked).toBeGreaterThan(100)
  },
)
