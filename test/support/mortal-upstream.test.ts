import { expect, test } from 'bun:test'
import { httpBytes, wait, write } from './fault/steps.ts'
import { startMortalUpstream } from './mortal-upstream.ts'

const ask = async (url: string) => {
  try {
    return await (await fetch(url, { method: 'POST', body: 'x', proxy: false })).text()
  } catch {
    return 'nothing'
  }
}

test('it dies with what it has begun, and comes back at the same address', async () => {
  await using upstream = await startMortalUpstream(({ text }, line) =>
    line.play([wait(text === 'x' ? 20 : 0), write(httpBytes({ body: 'here' }))]),
  )
  expect(await ask(upstream.url)).toBe('here')
  const begun = ask(upstream.url)
  while (upstream.count() < 2) await Bun.sleep(1)
  await upstream.die()
  expect(await begun).toBe('nothing')
  expect(await ask(upstream.url)).toBe('nothing')
  await upstream.revive()
  expect(await ask(upstream.url)).toBe('here')
  expect(upstream.count()).toBe(3)
})
