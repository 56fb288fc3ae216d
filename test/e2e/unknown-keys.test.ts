import { expect, test } from 'bun:test'
import { ask } from './caller.ts'
import { dialects } from './dialects.ts'
import { startSmallGateway } from './small-gateway.ts'

// Strangers who try keys cost a line a minute, and those who have one hardly notice.

const chat = dialects.chat
const seconds = 2

test('a flood of unknown keys fills no log, and good keys are answered beside it', async () => {
  await using gateway = await startSmallGateway()
  const { tollgate } = gateway
  let [tries, isOver] = [0, false]

  const until = async (isEnd: () => boolean, key?: () => string) => {
    let count = 0
    while (!isEnd()) {
      const answer = await ask(tollgate.url, chat, false, key && { key: key() })
      expect(answer.status).toBe(key ? 401 : 200)
      await answer.text()
      count++
    }
    return count
  }
  /** Good answers a second, of four clients. */
  const rate = async () => {
    const end = performance.now() + seconds * 1_000
    const counts = Array.from({ length: 4 }, () => until(() => performance.now() > end))
    return (await Promise.all(counts)).reduce((sum, count) => sum + count) / seconds
  }

  await rate()
  const alone = await rate()
  const strangers = Array.from({ length: 100 }, () =>
    until(
      () => isOver,
      () => `sk-unknown-${tries++}`,
    ),
  )
  const beside = await rate()
  isOver = true
  await Promise.all(strangers)
  console.log(
    `${alone.toFixed(0)} good answers a second alone, ${beside.toFixed(0)} beside ${tries} tries of unknown keys`,
  )
  expect(beside).toBeGreaterThan(0)
  expect(gateway.complaints()).toEqual([])
  await tollgate.stop()
  const told = tollgate.stdout.filter((line) => line.includes('"cause":"unknown"'))
  expect(told.length).toBe(10 + 1)
  const { count, addresses } = JSON.parse(told.at(-1) ?? '')
  expect([count, addresses]).toEqual([tries - 10, 1])
})
