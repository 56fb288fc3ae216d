import { describe, expect, test } from 'bun:test'
import { afterRest, dropRest } from '../../src/gateway/body/rest-of-body.ts'
import { GatewayError } from '../../src/gateway/errors.ts'
import { turn } from './relay-scene.ts'

/** A body that the test sends, piece by piece. */
function bodyComing(headers: Record<string, string> = {}) {
  let far: ReadableStreamDefaultController<Uint8Array> | undefined
  let pulled = 0
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        far = controller
      },
      pull: () => void pulled++,
    },
    { highWaterMark: 0 },
  )
  const request = new Request('http://gw/', { method: 'POST', body, headers })
  return {
    request,
    send: (sizeBytes: number) => far?.enqueue(new Uint8Array(sizeBytes)),
    end: () => far?.close(),
    breakOff: () => far?.error(new Error('left')),
    pulled: () => pulled,
  }
}

/** Whether it settles before any timer does. */
const isReady = (coming: Promise<unknown>) =>
  Promise.race([coming.then(() => true), turn().then(() => false)])

describe('the rest of a body', () => {
  test('is read to its end, and the connection kept', async () => {
    const coming = bodyComing()
    const dropped = dropRest(coming.request, true)
    for (let sent = 0; sent < 5; sent++) coming.send(1_000_000)
    coming.end()
    expect(await dropped).toBeTrue()
  })

  test('is left where it is longer than a stranger’s may be, not where a caller’s may', async () => {
    const [ofStranger, ofCaller] = [bodyComing(), bodyComing()]
    const [first, second] = [dropRest(ofStranger.request, true), dropRest(ofCaller.request, false)]
    for (const { send } of [ofStranger, ofCaller])
      for (let sent = 0; sent < 34; sent++) send(1_048_576)
    expect(await first).toBeFalse()
    ofCaller.end()
    expect(await second).toBeTrue()
  })

  test('is not waited for where none comes with the head, or its client has left', async () => {
    expect(await dropRest(bodyComing().request, true)).toBeFalse()
    const left = bodyComing()
    const dropped = dropRest(left.request, false)
    left.breakOff()
    expect(await dropped).toBeFalse()
  })

  test('is none of a small body, of one that was read, and of no body', async () => {
    const small = bodyComing({ 'content-length': '1000' })
    expect(await dropRest(small.request, true)).toBeTrue()
    const read = new Request('http://gw/', { method: 'POST', body: 'a'.repeat(100_000) })
    await read.text()
    expect(await dropRest(read, true)).toBeTrue()
    expect(await dropRest(new Request('http://gw/'), true)).toBeTrue()
  })

  test('of one that was refused half-way is read on', async () => {
    const coming = bodyComing()
    coming.send(10)
    const reader = coming.request.body?.getReader()
    await reader?.read()
    reader?.releaseLock()
    const dropped = dropRest(
      coming.request,
      false,
      new GatewayError('body_too_large', 'No.', { isCutOff: true }),
    )
    coming.send(10)
    coming.end()
    expect(await dropped).toBeTrue()
  })

  test('is read of so many strangers at once; others are answered right away, and callers are not others', async () => {
    const coming = Array.from({ length: 33 }, () => bodyComing())
    const dropped = coming.map(({ request }) => dropRest(request, true))
    const last = coming.at(-1)
    expect(await isReady(dropped.at(-1) ?? Promise.reject())).toBeTrue()
    expect(await dropped.at(-1)).toBeFalse()
    expect(last?.pulled()).toBe(0)
    expect(await isReady(dropped[0] ?? Promise.reject())).toBeFalse()
    const caller = bodyComing()
    const ofCaller = dropRest(caller.request, false)
    caller.end()
    expect(await ofCaller).toBeTrue()
    for (const { end } of coming.slice(0, 32)) end()
    expect(await Promise.all(dropped.slice(0, 32))).toEqual(Array(32).fill(true))
    const next = bodyComing()
    const ofNext = dropRest(next.request, true)
    next.end()
    expect(await ofNext).toBeTrue()
  })

  test('closes the connection of an answer when there is more of it', async () => {
    const answer = await afterRest(bodyComing().request, new Response('no', { status: 401 }), true)
    expect([answer.status, answer.headers.get('connection')]).toEqual([401, 'close'])
    const whole = await afterRest(new Request('http://gw/'), new Response('no'), true)
    expect(whole.headers.get('connection')).toBeNull()
  })
})
