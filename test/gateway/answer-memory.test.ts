import { expect, test } from 'bun:test'
import { type ErrorKind, GatewayError } from '../../src/gateway/errors.ts'
import { noHeartbeat } from '../../src/gateway/relay/heartbeat.ts'
import { replyTo } from '../../src/gateway/relay/reply.ts'
import { readBody, understand } from '../../src/gateway/upstream/upstream-answer.ts'
import { createMoneyScene } from './money-scene.ts'

/** The reply to a whole answer of 100 KB whose memory is refused with an error of this kind. */
async function replyWithout(kind: ErrorKind) {
  await using scene = await createMoneyScene({ balanceNano: 1_000_000_000, stream: false })
  const { exchange, body, parts } = scene
  const { route } = exchange
  if (route === undefined) throw new Error('There is no route.')
  const response = new Response(JSON.stringify({ id: 'x'.repeat(100_000) }))
  const task = {
    ...{ exchange, body, route, hasNext: undefined, firstBytesCame: () => 0 },
    watch: { touched() {}, paused() {}, passedOn() {}, heldUpMs: () => 0, stop() {} },
    memory: {
      mostBytes: 1_000_000,
      give() {},
      take() {
        throw new GatewayError(kind, 'There is none.', { retryAfter: 2 })
      },
    },
  }
  const read = understand(task, response, await readBody(task, response))
  if (read.kind !== 'undeliverable') throw new Error(`It is ${read.kind}.`)
  expect(read.isUsageUnknown).toBeTrue()
  const { status, headers } = replyTo(parts, exchange, read, body, noHeartbeat)
  return [status, headers['x-tollgate-reason'], headers['retry-after']]
}

test('a whole answer that finds no memory is told as overloaded, with a time to come again', async () => {
  expect(await replyWithout('overloaded')).toEqual([429, 'overloaded', '2'])
})

test('one that would never fit is no answer that could be understood', async () => {
  expect(await replyWithout('body_too_large')).toEqual([502, 'upstream_invalid', undefined])
})
