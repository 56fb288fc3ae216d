import { expect, test } from 'bun:test'
import { keys, startContractGateway } from './contract/gateway.ts'
import { openRaw, requestHead } from './raw-client.ts'

const announced = 60_000_000

test('60 MB without a good key are not kept: memory does not grow', async () => {
  await using gateway = await startContractGateway()
  const before = gateway.tollgate.residentBytes()
  let most = before
  const piece = Buffer.alloc(1_000_000, ' ')
  const send = async (key: string | undefined) => {
    using connection = await openRaw(gateway.tollgate.port)
    const { socket } = connection
    const length = ['content-length', String(announced)] as const
    const headers = key === undefined ? [length] : [['x-api-key', key] as const, length]
    socket.write(requestHead({ method: 'POST', path: '/v1/messages', headers }))
    expect((await connection.answer('POST')).status).toBeWithin(401, 404)
    for (let sent = 0; sent < announced && !socket.destroyed; sent += piece.length) {
      if (!socket.write(piece)) await once(socket, 'drain')
      most = Math.max(most, gateway.tollgate.residentBytes())
    }
  }
  await Promise.all([undefined, keys.unknown, keys.deleted, keys.blocked].map(send))
  expect(most - before).toBeLessThan(20_000_000)
})

/** The next event of that name, or the end of the connection. */
function once(socket: NodeJS.EventEmitter, name: string): Promise<void> {
  return new Promise((resolve) => {
    socket.once(name, resolve)
    socket.once('close', resolve)
  })
}
