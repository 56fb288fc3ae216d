import { expect, test } from 'bun:test'
import { createSpoolFile } from '../../../src/store/spool/files.ts'
import { decodeLines, encodeLine } from '../../../src/store/spool/lines.ts'
import { settlement } from '../support.ts'
import { createFakeDisk, type Fate } from './fake-disk.ts'

const line = (requestId: string, text = '') =>
  encodeLine({ origin: '1', settlement: settlement({ requestId, causeText: text }) })
const idsIn = (bytes: Uint8Array) =>
  decodeLines(bytes).entries.map((one) => one.settlement.request.requestId)
const never = () => 0.99

/** A file whose next steps have these fates. */
function createScene() {
  const fates: Fate[] = []
  const disk = createFakeDisk(new Uint8Array(0), () => fates.shift() ?? 'well', never)
  return { disk, fates, file: createSpoolFile(disk, decodeLines(disk.afterKill())) }
}

test('what was appended outlives a power cut', async () => {
  const { disk, file } = createScene()
  await Promise.all([file.append(line('a')), file.append(line('b'))])
  expect(idsIn(disk.afterPowerCut(never))).toEqual(['a', 'b'])
})

test('what failed is not there, also where nothing could be undone before the next', async () => {
  for (const fate of [
    ['fails'],
    ['well', 'fails'],
    ['fails', 'fails'],
    ['well', 'fails', 'fails'],
  ]) {
    const { disk, file, fates } = createScene()
    await file.append(line('a'))
    fates.push(...(fate as Fate[]))
    await expect(file.append(line('failed', 'x'.repeat(2_000)))).rejects.toThrow()
    await file.append(line('b'))
    const left = decodeLines(disk.afterPowerCut(never))
    expect([idsIn(disk.afterKill()), left.damaged, left.isTorn]).toEqual([['a', 'b'], [], false])
  }
})

test('it keeps its room when it is cleared, and gives back what it took beyond', async () => {
  const { disk, file } = createScene()
  await file.reserve(5_000)
  await file.append(line('a', 'x'.repeat(20_000)))
  await file.clear(() => true)
  expect(idsIn(disk.afterKill())).toEqual(['a'])
  await file.clear(() => false)
  expect(disk.afterKill()).toEqual(new Uint8Array(5_000))
  await file.append(line('b'))
  expect([idsIn(disk.afterKill()), disk.afterKill().length]).toEqual([['b'], 5_000])
})

test('killed at each step of clearing, it holds all of it, or whole lines, or nothing: never a damaged one', async () => {
  for (let step = 0; step < 7; step++) {
    for (const part of [0.01, 0.4, 0.99]) {
      const fates: Fate[] = []
      const disk = createFakeDisk(
        new Uint8Array(0),
        () => fates.shift() ?? 'well',
        () => part,
      )
      const file = createSpoolFile(disk, decodeLines(disk.afterKill()))
      await file.append(line('a') + line('b'))
      fates.push(...Array.from({ length: step }, (): Fate => 'well'), 'dies')
      await Promise.race([file.clear(() => false), Bun.sleep(2)])
      for (const left of [disk.afterKill(), disk.afterPowerCut(() => part)]) {
        expect(decodeLines(left).damaged).toEqual([])
      }
    }
  }
})

test('a file that has grown beyond all measure takes no more', async () => {
  const { file } = createScene()
  const large = line('a', 'x'.repeat(33 * 2 ** 20))
  await file.append(large)
  await expect(file.append(large)).rejects.toThrow('it is full')
  await file.clear(() => false)
  await file.append(large)
})
