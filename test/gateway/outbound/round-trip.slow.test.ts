import { expect, test } from 'bun:test'
import { createConnections } from '../../../src/gateway/outbound/connections.ts'
import { makeRoundTrip, type ReaderMemory } from '../../../src/gateway/outbound/round-trip.ts'

const answerBytes = 2_000_000

/** Asks an upstream that sends much at once, and reads all of it, as slowly as `between` tells. */
async function readAll(
  memory: ReaderMemory,
  between: () => Promise<void>,
  isPaced = true,
): Promise<number> {
  using upstream = Bun.serve({
    ...{ hostname: '127.0.0.1', port: 0 },
    fetch: () => new Response(new Uint8Array(answerBytes)),
  })
  const answer = await makeRoundTrip(createConnections(), {
    ...{ target: new URL(`http://127.0.0.1:${upstream.port}/`), serverName: undefined },
    ...{
      method: 'GET',
      headers: {},
      body: undefined,
      signal: new AbortController().signal,
      isPaced,
      memory,
    },
  })
  const reader = answer.body?.getReader()
  let read = 0
  for (;;) {
    const piece = await reader?.read()
    if (piece === undefined || piece.done) return read
    read += piece.value?.byteLength ?? 0
    await between()
  }
}

test('memory is held while something is unread, and given back at the end', async () => {
  let [held, most] = [0, 0]
  const memory: ReaderMemory = {
    hold() {
      held++
      most = Math.max(most, held)
      return true
    },
    release() {
      held = 0
    },
    isShort: () => false,
  }
  expect(await readAll(memory, () => new Promise(setImmediate))).toBe(answerBytes)
  expect({ held, most }).toEqual({ held: 0, most: 1 })
})

test('where there is no memory, nothing is read until there is', async () => {
  let isFree = false
  let waits = 0
  const memory: ReaderMemory = {
    hold: () => isFree,
    release() {},
    isShort() {
      waits++
      isFree ||= waits > 3
      return !isFree
    },
  }
  expect(await readAll(memory, async () => {})).toBe(answerBytes)
  expect(waits).toBeGreaterThan(3)
})

test('where there is none for long, a little is read now and then', async () => {
  let looks = 0
  const memory: ReaderMemory = {
    hold: () => false,
    release() {},
    // Short until somebody has waited as long as one may, once.
    isShort: () => looks++ < 25,
  }
  expect(await readAll(memory, async () => {})).toBe(answerBytes)
  expect(looks).toBeGreaterThan(25)
})

test('an answer that is not paced is read without memory of a slow reader', async () => {
  const memory: ReaderMemory = {
    hold: () => expect.unreachable(),
    release: () => expect.unreachable(),
    isShort: () => expect.unreachable(),
  }
  expect(await readAll(memory, () => Bun.sleep(1), false)).toBe(answerBytes)
})

test.each(['\r\nx-other: made up', '\n', '\r', '\0', '…'])(
  'a header whose value has %j in it is not sent',
  (sign) => {
    const target = new URL('http://127.0.0.1:1/')
    const call = { target, serverName: undefined, method: 'GET', body: undefined, isPaced: true }
    const { signal } = new AbortController()
    const headers = { 'x-own': `a${sign}` }
    const send = () =>
      makeRoundTrip(createConnections(), { ...call, headers, signal, memory: undefined })
    expect(send).toThrow('The header x-own has an invalid value.')
  },
)
