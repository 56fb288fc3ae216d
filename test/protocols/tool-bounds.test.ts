import { describe, expect, test } from 'bun:test'
import { chat } from '../../src/protocols/chat/index.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { messages } from '../../src/protocols/messages/index.ts'
import { responses } from '../../src/protocols/responses/index.ts'

// The most that the vendor's own tools may be used.

const said = [{ role: 'user', content: 'hello' }]
const bounds = {
  chat: (more: object) => chat.generation.read({ model: 'm', messages: said, ...more }).toolBounds,
  messages: (...tools: readonly object[]) =>
    messages.generation.read({ model: 'm', max_tokens: 9, messages: said, tools }).toolBounds,
  responses: (tools: readonly object[], more: object = {}) =>
    responses.generation.read({ model: 'm', input: 'hello', tools, ...more }).toolBounds,
  gemini: (more: object) =>
    gemini.generation.read({ contents: [{ parts: [{ text: 'hi' }] }], ...more }).toolBounds,
}
const search = { type: 'web_search' }
const fetches = { type: 'web_fetch_20250910', name: 'web_fetch' }
const finds = { type: 'web_search_20250305', name: 'web_search' }
const coder = (memory_limit: unknown) => ({
  type: 'code_interpreter',
  container: { type: 'auto', memory_limit },
})

describe('how often a tool is used at the most', () => {
  test('where the request says nothing, ten times; without tools there is nothing', () => {
    expect(bounds.responses([search])).toEqual({ uses: 10, gigabytes: 1 })
    expect(bounds.chat({ web_search_options: {} })).toEqual({ uses: 10, gigabytes: 1 })
    expect(bounds.gemini({ tools: [{ googleSearch: {} }] })).toEqual({ uses: 10, gigabytes: 1 })
    expect(bounds.messages(finds)).toEqual({ uses: 10, gigabytes: 1 })
    expect(bounds.responses([{ type: 'function', name: 'f' }])).toBeUndefined()
    expect(bounds.chat({})).toBeUndefined()
  })

  test('as often as the request says, if that is more', () => {
    expect(bounds.responses([search], { max_tool_calls: 100 })?.uses).toBe(100)
    expect(bounds.responses([search], { max_tool_calls: 2 })?.uses).toBe(10)
    expect(bounds.messages({ ...finds, max_uses: 40 })?.uses).toBe(40)
    expect(bounds.messages({ ...finds, max_uses: 3 })?.uses).toBe(10)
    expect(bounds.chat({ search_parameters: { max_search_results: 30 } })?.uses).toBe(30)
  })

  test('of several limits the largest counts', () => {
    expect(bounds.messages({ ...finds, max_uses: 30 }, { ...fetches, max_uses: 50 })?.uses).toBe(50)
    const both = bounds.responses([{ ...search, max_uses: 50 }], { max_tool_calls: 4 })
    expect(both?.uses).toBe(50)
  })

  test('of live search each source is a use, and there are twenty', () => {
    expect(bounds.chat({ search_parameters: { mode: 'on' } })?.uses).toBe(20)
  })
})

describe('how large a container is', () => {
  test.each([
    ['4g', 4],
    ['64g', 64],
    [undefined, 1],
    [null, 1],
    ['64GB', 64],
    [64, 64],
  ])('%p: %i', (memory, gigabytes) => {
    expect(bounds.responses([search, coder(memory)])?.gigabytes).toBe(gigabytes)
  })

  test('a shell’s, too', () => {
    const environment = { type: 'container_auto', memory_limit: '16g' }
    expect(bounds.responses([{ type: 'shell', environment }])?.gigabytes).toBe(16)
  })
})
