import { expect, test } from 'bun:test'
import type { Candidate, Channel, Group, Offer } from '../../src/catalog/catalog.ts'
import { passExtras, pathAround } from '../../src/gateway/admit/gate.ts'
import type { RequestBody } from '../../src/gateway/body/body.ts'
import { pathTree } from '../../src/gateway/body/native-body.ts'
import { readExtras } from '../../src/protocols/chat/facts.ts'
import type { JsonObject } from '../../src/protocols/protocol.ts'
import type { Path } from '../../src/protocols/request-extras.ts'
import { readExtras as readResponses } from '../../src/protocols/responses/facts.ts'
import { createExchange } from './exchange-parts.ts'
import { protocols } from './relay-scene.ts'

// Whatever a body names, looking at it is little work.

const deep = (value: unknown, levels: number): unknown => {
  let nested = value
  for (let level = 0; level < levels; level++) nested = { x: nested }
  return nested
}

async function pass(more: JsonObject) {
  const body = { model: 'small', messages: [{ role: 'user', content: 'hi' }], ...more }
  const { exchange } = await createExchange({ ...protocols.chat, body })
  const channel = { id: 1, name: 'main' } as unknown as Channel
  const candidate = { channel, upstreamModel: 'up' } as Candidate
  const offer = { ...(exchange.plan?.offer as Offer), model: 'small', candidates: [candidate] }
  const group = { ...exchange.plan?.group, offers: new Map([['small', offer]]) } as unknown as Group
  const facts = { extras: readExtras(body) }
  const task = {
    ...{ group, offer, models: new Set<string>(), isStrict: false },
    body: { facts, value: () => body } as unknown as RequestBody,
  }
  return passExtras(task, candidate, 'chat')
}

test('a hundred fields that name the same model pass, however deep', async () => {
  const names = Array.from({ length: 100 }, () => ({ model: 'up' }))
  expect((await pass({ x: deep(names, 200) })).cuts).toEqual([])
})

test('more than any client has are refused, and not looked at one by one', async () => {
  const names = Array.from({ length: 20_000 }, () => ({ model: 'up' }))
  await expect(pass({ y: deep(names, 200) })).rejects.toMatchObject({
    ...{ kind: 'unsupported_parameter', status: 400 },
    details: { param: 'y' },
  })
}, 5_000)

test('so they are within a tool that is left out', async () => {
  const names = Array.from({ length: 101 }, () => ({ model: 'up' }))
  const advisor = { type: 'advisor_1', helpers: names }
  await expect(pass({ tools: [advisor] })).rejects.toMatchObject({ details: { param: 'tools' } })
  const passed = await pass({ tools: [{ ...advisor, helpers: names.slice(1) }] })
  expect(passed.dropped).toEqual(['tools[0]'])
})

test('namespaces of tools are not looked into again and again', () => {
  const { hostedTools } = readResponses({ tools: [namespace([{ type: 'web_search' }])] }) ?? {}
  expect(hostedTools).toMatchObject([{ tool: 'web_search', path: ['tools', 0, 'tools', 0] }])
  const inner = namespace(Array.from({ length: 9 }, () => ({ type: 'web_search' })))
  expect(readResponses({ tools: [namespace([inner])] })?.hostedTools).toMatchObject([
    { tool: undefined, path: ['tools', 0, 'tools', 0] },
  ])
})

const namespace = (tools: readonly object[]) => ({ type: 'namespace', name: 'n', tools })

test('a path stands within another one that it goes on from', () => {
  const tree = pathTree([['tools', 1], ['tools', 10, 'a'], ['servers']])
  const around = (path: Path) => pathAround(tree, path)
  expect(around(['tools', 1, 'model'])).toEqual(['tools', 1])
  expect(around(['tools', 10, 'a', 'b', 'c'])).toEqual(['tools', 10, 'a'])
  expect(around(['servers', 0, 'model'])).toEqual(['servers'])
  for (const path of [['tools', 1], ['tools', 10, 'b', 'c'], ['servers'], ['other', 1], []]) {
    expect(around(path)).toBeUndefined()
  }
})
