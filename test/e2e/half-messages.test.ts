import { expect, test } from 'bun:test'
import { startBinary } from '../support/binary.ts'
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { createMemoryGroup } from '../support/memory-group.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'
import { dialects } from './dialects.ts'
import { openRaw, type RawConnection, requestHead } from './raw-client.ts'
import { until } from './until.ts'

// Takes root and control groups: a limit that the kernel keeps.

const accounts = 12
/** As many as an account may have open there. */
const ofEach = 17
const keyOf = (at: number) => `sk-other-${at}-0123456789abcdefghijklmnop`
const handshake = [
  ...[['connection', 'upgrade'] as const, ['upgrade', 'websocket'] as const],
  ...[['sec-websocket-version', '13'] as const],
  ['sec-websocket-key', 'dGhlIHNhbXBsZSBub25jZQ=='] as const,
] as const

/** A frame of text as clients send it, or the beginning of one. */
function frame(lengthBytes: number, data: Buffer): Buffer {
  const head = Buffer.alloc(14) // the mask is zero
  head[0] = 0x81
  head[1] = 0x80 | 127
  head.writeBigUInt64BE(BigInt(lengthBytes), 2)
  return Buffer.concat([head, data])
}

test('half messages behind responses that are under way do not end a process in a container of 256 MB', async () => {
  const found = createMemoryGroup(256 * 1_048_576)
  if (found.group === undefined) {
    console.log(`skipped: ${found.why}`)
    return
  }
  using group = found.group
  const hold = Promise.withResolvers<void>()
  const upstream = startFakeUpstream(async () => {
    await hold.promise
    return jsonAnswer(dialects.chat.body({ input: 1, output: 1 }))
  })
  const tollgate = await startBinary({
    through: group.through,
    config: (listen) =>
      tollgateYaml({
        ...{ listen, upstream: upstream.url, balance: 10_000 },
        moreAccounts: Array.from({ length: accounts }, (_, at) => ({
          ...{ email: `other-${at}@example.com`, balance: 10_000 },
          tokens: [{ name: 'other', key: keyOf(at), group: 'default' }],
        })),
      }),
  })
  const open: RawConnection[] = []
  try {
    const text = JSON.stringify({ type: 'response.create', model: 'test-model', input: 'hello' })
    for (let at = 0; at < accounts * ofEach; at++) {
      const connection = await openRaw(tollgate.port)
      open.push(connection)
      const headers = [['authorization', `Bearer ${keyOf(at % accounts)}`] as const, ...handshake]
      connection.socket.write(requestHead({ path: '/v1/responses', headers }))
      await connection.received(' 101 ')
      connection.socket.write(frame(text.length, Buffer.from(text)))
    }
    const all = () => upstream.requests.length === open.length
    await until('all to be under way', all)
    const most = Buffer.alloc(2_000_000, 'x')
    for (const { socket } of open) {
      if (!socket.destroyed) socket.write(frame(2_050_000, most))
      await Bun.sleep(20) // as fast as a network of 1 Gbit/s brings it
    }
    const alive = await fetch(`${tollgate.url}/livez`, { proxy: false })
    expect([alive.status, group.kills()]).toEqual([200, 0])
  } finally {
    for (const { socket } of open) socket.destroy()
    hold.resolve()
    await tollgate.stop()
    await upstream.stop()
  }
})
