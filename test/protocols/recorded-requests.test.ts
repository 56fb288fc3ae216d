import { describe, expect, test } from 'bun:test'
import { chat } from '../../src/protocols/chat/index.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { messages } from '../../src/protocols/messages/index.ts'
import type { Operation } from '../../src/protocols/protocol.ts'
import { responses } from '../../src/protocols/responses/index.ts'
import { recordings } from '../support/recordings.ts'

const operations: readonly (readonly [RegExp, Operation])[] = [
  [/\/chat\/completions$/, chat.operations.completions],
  [/\/embeddings$/, chat.operations.embeddings],
  [/\/responses\/compact$/, responses.operations.compact],
  [/\/responses\/input_tokens$/, responses.operations.inputTokens],
  [/\/responses$/, responses.operations.responses],
  [/\/messages\/count_tokens$/, messages.operations.countTokens],
  [/\/messages$/, messages.operations.messages],
  [/:(generate|streamGenerate)Content$/, gemini.operations.generate],
  [/:countTokens$/, gemini.operations.countTokens],
  [/:batchEmbedContents$/, gemini.operations.batchEmbed],
]

const hasFile = /"file|"document|"video|"(audio|video|application)\//

describe.skipIf(recordings.length === 0)('recorded requests', () => {
  test('what a vendor accepted is accepted here', () => {
    const refused: unknown[] = []
    let checked = 0
    for (const { id, path, request, status } of recordings) {
      const operation = operations.find(([pattern]) => pattern.test(path?.split('?')[0] ?? ''))?.[1]
      if (operation === undefined || status !== 200) continue
      const fault = operation.check(request)
      if (fault) refused.push({ id, fault })
      checked++
    }
    expect(refused).toEqual([])
    expect(checked).toBeGreaterThan(500)
  })

  test('what clients send is seen, but for files, and results of the vendor’s own tools', () => {
    const unseen: unknown[] = []
    for (const { id, path, request, status } of recordings) {
      const operation = operations.find(([pattern]) => pattern.test(path?.split('?')[0] ?? ''))?.[1]
      if (operation === undefined || status !== 200 || operation.check(request)) continue
      const facts = operation.read(request as Record<string, unknown>)
      const isSeen = !facts.hasUnseenInput && !facts.media().isUnseen
      if (!isSeen && facts.turns === 1 && !hasFile.test(JSON.stringify(request))) unseen.push(id)
    }
    expect(unseen).toEqual([])
  })

  test('the text of a request holds no media', () => {
    for (const { id, path, request } of recordings) {
      const operation = operations.find(([pattern]) => pattern.test(path?.split('?')[0] ?? ''))?.[1]
      if (operation === undefined || operation.check(request)) continue
      const body = request as Record<string, unknown>
      const text = operation.read(body).text()
      const prompt = operation.read({ ...body, tools: undefined }).text()
      expect({ id, media: /[A-Za-z0-9+/]{2000}/.test(prompt) }).toEqual({ id, media: false })
      expect(text.length).toBeGreaterThanOrEqual(prompt.length)
    }
  })
})
