import { expect, test } from 'bun:test'
import { systemClock } from '../../src/lib/clock.ts'
import { until } from '../e2e/until.ts'
import { channelWrite } from '../store/support.ts'
import { lendPlace } from '../support/empty-store.ts'
import { startServing } from './serving.ts'

test('a token that is removed is refused, even while a channel that came with it can not be read', async () => {
  await using place = await lendPlace()
  await using running = await startServing({ upstream: 'http://127.0.0.1:9', store: place.store })
  const isListed = async () => 'data' in ((await running.get('/v1/models')) as object)
  expect(await isListed()).toBe(true)
  const beside = await place.open(systemClock)
  const [token] = await beside.admin.tokens({})
  await beside.admin.write({
    channels: [channelWrite({ name: 'of another secret', keysSealed: Uint8Array.of(1, 2, 3) })],
    remove: { tokenIds: [token?.id ?? 0] },
  })
  await until('the token to be refused', async () => !(await isListed()))
  expect(running.complaints.join()).toContain('change of the database not followed')
  await beside.close()
})
