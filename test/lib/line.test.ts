import { expect, test } from 'bun:test'
import { type Asking, createLine } from '../../src/lib/line.ts'

const stranger = (...shares: string[]): Asking => ({ isKnown: false, shares })
const known = (...shares: string[]): Asking => ({ isKnown: true, shares })

/** A line whose work is done one by one, when the test says so; tells who was served, and refused. */
function createScene(mostWaiting: number) {
  const inTurn = createLine({ atOnce: 1, mostWaiting })
  const served: string[] = []
  const refused: string[] = []
  const ends: (() => void)[] = []
  const all: Promise<void>[] = []
  return {
    refused,
    come(name: string, asking: Asking) {
      const work = () => {
        served.push(name)
        return new Promise<void>((resolve) => ends.push(resolve))
      }
      const turn = inTurn(asking, work, () => new Error('full')).catch(() => {
        refused.push(name)
      })
      all.push(turn)
    },
    async serveAll() {
      for (let at = 0; at < ends.length; at++) {
        ends[at]?.()
        await new Promise<void>((resolve) => setImmediate(resolve))
      }
      await Promise.all(all)
      return served
    },
  }
}

test('one of each network and account goes before the second of any', async () => {
  const scene = createScene(100)
  scene.come('first', stranger('n0', 'x'))
  for (const name of ['a1', 'a2', 'a3']) scene.come(name, stranger('network a', name))
  for (const name of ['b1', 'b2']) scene.come(name, stranger(`network ${name}`, 'one account'))
  scene.come('c1', stranger('network c', 'another'))
  expect(await scene.serveAll()).toEqual(['first', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('who is known goes before all strangers, and is never refused for them', async () => {
  const scene = createScene(5)
  for (let at = 0; at < 20; at++) scene.come(`stranger ${at}`, stranger(`n${at}`, `a${at}`))
  scene.come('owner', known('device'))
  const served = await scene.serveAll()
  expect(served.slice(0, 2)).toEqual(['stranger 0', 'owner'])
  expect(scene.refused).toHaveLength(14)
})

test("of four turns one is a stranger's, however many known ones come", async () => {
  const scene = createScene(20)
  for (let at = 0; at < 20; at++) scene.come(`known ${at}`, known('one device'))
  for (const name of ['a', 'b']) scene.come(name, stranger(name))
  const served = await scene.serveAll()
  expect([served.indexOf('a'), served.indexOf('b')]).toEqual([4, 8])
  expect(scene.refused).toEqual([])
})

test('a full line loses the last of whoever has the most in it', async () => {
  const scene = createScene(4)
  for (let at = 0; at < 5; at++) scene.come(`flood ${at}`, stranger('one network', `a${at}`))
  scene.come('somebody', stranger('another network', 'b'))
  expect(await scene.serveAll()).toEqual(['flood 0', 'somebody', 'flood 1', 'flood 2', 'flood 3'])
  expect(scene.refused).toEqual(['flood 4'])
})

test('nobody waits for ever while others keep coming', async () => {
  const scene = createScene(100)
  scene.come('first', stranger('n'))
  for (let at = 0; at < 3; at++) scene.come(`late ${at}`, stranger('n'))
  const served = await (async () => {
    for (let at = 0; at < 10; at++) scene.come(`fresh ${at}`, stranger(`n${at}`))
    return scene.serveAll()
  })()
  expect(served.at(-1)).toBe('late 2')
  expect(served).toHaveLength(14)
})
