import { afterAll, beforeAll, expect, test } from 'bun:test'
import { protocolNames } from '../../src/protocols/protocol.ts'
import { requestFeatures } from '../../src/protocols/translation/features.ts'
import { createWorkplace, type Workplace } from './cli.ts'

let place: Workplace
beforeAll(async () => {
  place = await createWorkplace()
})
afterAll(() => place[Symbol.asyncDispose]())

test('shows what becomes of every feature on every protocol', async () => {
  const { out, code } = await place.run(['matrix'])
  expect(code).toBe(0)
  const lines = out.split('\n')
  for (const [name, { ways }] of Object.entries(requestFeatures)) {
    const words = lines
      .find((line) => line.startsWith(`${name} `))
      ?.split(/ +/)
      .slice(1, 5)
    expect([name, words]).toEqual([name, protocolNames.map((protocol) => ways[protocol])])
  }
})

test('gives machines the same as JSON', async () => {
  const { out } = await place.run(['matrix', '--json'])
  const table = JSON.parse(out)
  expect(table.protocols).toEqual([...protocolNames])
  expect(table.sections[0].rows.map(({ name }: { name: string }) => name)).toEqual(
    Object.keys(requestFeatures),
  )
  expect(table.quirks).toContainEqual({
    name: 'max_tokens',
    protocol: 'chat',
    title: 'takes max_tokens, not max_completion_tokens',
  })
})
