import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { RecordStore } from '../../src/store/ports/records.ts'
import { StoreError } from '../../src/store/ports/store-error.ts'
import { decodeLines } from '../../src/store/spool/lines.ts'
import { dialects } from '../e2e/dialects.ts'
import { until } from '../e2e/until.ts'
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { usual } from './clocked.ts'
import { startServing } from './serving.ts'

test('what waits in a spool says of which database it is, also of one that began without accounts', async () => {
  using folder = createTempDir('tollgate-origin')
  const go = Promise.withResolvers<void>()
  const upstream = startFakeUpstream(async () => {
    await go.promise
    return jsonAnswer(dialects.chat.body(usual))
  })
  const options = {
    ...{ upstream: upstream.url, store: folder.join('gate.db') },
    server: { spool: folder.join('spool') },
  }
  await using running = await startServing({ ...options, onlyAccounts: [] })
  const records = running.instance.store.records as {
    -readonly [Name in keyof RecordStore]: RecordStore[Name]
  }
  const { commit, origin } = records
  let known = ''
  records.origin = async () => {
    known = await origin()
    return known
  }
  await running.configure({ onlyAccounts: undefined } as object)
  await until('the first account to be noticed', () => known !== '')
  const aside = Promise.withResolvers<void>()
  records.commit = async (batch) => {
    if (batch.settle?.length) throw new StoreError('The disk is full.')
    const committed = await commit(batch)
    if (batch.reserve?.length) aside.resolve()
    return committed
  }
  const { path, request } = dialects.chat
  const entries = () => decodeLines(readFileSync(folder.join('spool/1.spool'))).entries
  const asking = running.ask(path(false), request(false))
  await aside.promise
  go.resolve()
  expect((await asking).status).toBe(200)
  await until('it to wait', () => entries().length === 1)
  expect(entries().map((one) => one.origin)).toEqual([known])
  records.commit = commit
  await upstream.stop()
})
