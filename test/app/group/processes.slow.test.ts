import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { until } from '../../e2e/until.ts'
import { createFileStore } from '../../store/sqlite/file-store.ts'
import { openTestDesk } from '../../support/keeper-link.ts'

const address = `tollgate-test-${randomUUID()}`

/** A worker's process, and what it was told is stored: cost by request id. */
function startWorker(index: number) {
  const told = new Map<string, number>()
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, 'worker-process.ts'), address, String(index)],
    { stdout: 'pipe', stderr: 'inherit' },
  )
  const reading = (async () => {
    let rest = ''
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const [requestId = '', amount] = line.split(' ')
        told.set(requestId, Number(amount))
      }
    }
  })()
  return {
    told,
    id: { index, pid: child.pid },
    async kill(): Promise<void> {
      child.kill('SIGKILL')
      await child.exited
      await reading
    },
  }
}

test('workers and keepers that die lose nothing that was stored, and charge nothing twice', async () => {
  await using file = await createFileStore()
  const open = () => openTestDesk(file.store, { address: `\0${address}` }).desk
  let desk = open()
  const living = [startWorker(0), startWorker(1)]
  const told = new Map<string, number>()
  let index = 2
  const settled = (many: number) =>
    until('more requests', () => living.every((worker) => worker.told.size >= many))
  for (let round = 0; round < 6; round++) {
    await settled(60)
    // The keeper dies, and another one takes its place.
    desk.close()
    desk = open()
    await until('its workers', () => desk.workers().length === 2)
    await file.store.records.sweep(desk.held())
    const dying = living.shift()
    if (dying === undefined) break
    await dying.kill()
    desk.died(dying.id)
    for (const [id, nano] of dying.told) told.set(id, nano)
    living.push(startWorker(index++))
  }
  for (const worker of living) {
    await worker.kill()
    desk.died(worker.id)
    for (const [id, nano] of worker.told) told.set(id, nano)
  }
  await desk.idle()
  await until('nothing to be reserved', () => Object.keys(file.reserved()).length === 0)
  const rows = file.rows<{ id: string; nano: number; ending: string }>(
    'SELECT request_id AS id, amount_nano AS nano, ending FROM request',
  )
  const stored = new Map(rows.map(({ id, nano }) => [id, nano]))
  const lost = [...told].filter(([id, nano]) => stored.get(id) !== nano)
  expect(lost).toEqual([])
  expect(told.size).toBeGreaterThan(300)
  expect(rows.some(({ ending }) => ending === 'interrupted')).toBeTrue()
  const sum = rows.reduce((all, { nano }) => all + nano, 0)
  const [account] = await file.store.admin.accounts()
  expect(account?.balanceNano).toBe(1_000_000_000 - sum)
  desk.close()
}, 120_000)
