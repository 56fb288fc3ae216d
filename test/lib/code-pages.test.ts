import { expect, test } from 'bun:test'

/** A process of its own: what it moves stays moved. */
const program = `
  const { readFileSync } = await import('node:fs')
  const { enlargeCodePages } = await import('${import.meta.dir}/../../src/lib/code-pages.ts')
  const work = () => Bun.hash(JSON.stringify(Array.from({ length: 20_000 }, (_, at) => ({ at, text: 'a' + at }))))
  const before = work()
  const moved = await enlargeCodePages()
  const maps = readFileSync('/proc/self/maps', 'utf8').split('\\n')
  const own = maps.filter((line) => / r-xp 00000000 00:00 0 *$/.test(line))
  const bytes = own.map((line) => {
    const [start, end] = line.split(' ', 1)[0].split('-').map((hex) => Number.parseInt(hex, 16))
    return end - start
  }).filter((size) => size % 2_097_152 === 0)
  console.log(JSON.stringify({
    moved, isSame: before === work(), inMaps: bytes.reduce((sum, size) => sum + size, 0),
    mayMove: !readFileSync('/sys/kernel/mm/transparent_hugepage/enabled', 'utf8').includes('[never]'),
  }))`

test.skipIf(process.platform !== 'linux')('used code moves, and runs as before', async () => {
  const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe', stderr: 'inherit' })
  const seen = JSON.parse(await child.stdout.text())
  expect(await child.exited).toBe(0)
  expect(seen.isSame).toBe(true)
  expect(seen.inMaps).toBe(seen.moved)
  expect(seen.moved > 0).toBe(seen.mayMove)
})
