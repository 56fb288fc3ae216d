import { describe, expect, test } from 'bun:test'
import { startBinary } from '../../support/binary.ts'
import { layCable } from '../../support/cable.ts'
import { lendDatabase } from '../../support/lent-databases.ts'
import { hasPostgres } from '../../support/postgres.ts'
import { tollgateYaml } from '../../support/tollgate-yaml.ts'
import { logLines } from '../../torture/gateway.ts'
import { until } from '../until.ts'

describe.skipIf(!hasPostgres)('a node whose connections to PostgreSQL have died in silence', () => {
  test('ends when it is told to, once it has others', async () => {
    await using database = await lendDatabase()
    const url = new URL(database.url)
    await using cable = await layCable(Number(url.port))
    url.port = String(cable.port)
    await using node = await startBinary({
      args: ['serve', '--log', 'json'],
      env: { TOLLGATE_SECRET: 'the-secret-of-a-node-0123456789' },
      config: (listen) => tollgateYaml({ listen, upstream: 'http://127.0.0.1:9', store: url.href }),
    })
    const said = (text: string) => logLines(node).some(({ message }) => message === text)
    await until('the node to listen', () => said('listening'))
    cable.silence()
    // What it has just begun to read or write waits for its own limits first, one after the other.
    await until('it to notice', () => said('change of the database not followed'), 250_000)
    expect(await node.kill('SIGTERM')).toBe(0)
    expect(said('stopped')).toBe(true)
  }, 300_000)
})
