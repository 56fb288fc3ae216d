import { describe, expect, test } from 'bun:test'
import { gemini } from '../../../src/protocols/gemini/index.ts'

const { generate, countTokens, embed, batchEmbed } = gemini.operations
const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }]

describe('a Gemini request', () => {
  test.each<object>([
    { contents },
    { contents: { parts: { text: 'Hi' } } },
    { contents, generationConfig: { maxOutputTokens: 1 }, systemInstruction: contents[0] },
    { contents, generation_config: { max_output_tokens: 1 }, system_instruction: contents[0] },
    { contents, tools: [{ googleSearch: {} }], labels: {}, generationConfig: null },
    {
      contents: [
        { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
      ],
    },
  ])('takes %j', (body) => {
    expect(generate.check(body)).toBeUndefined()
  })

  test.each<[unknown, string, string]>([
    [{}, 'missing_parameter', 'contents'],
    [{ contents: [] }, 'invalid_value', 'contents'],
    [{ contents: 'Hi' }, 'invalid_value', 'contents'],
    [{ contents: [{ role: 'user' }] }, 'missing_parameter', 'contents[0].parts'],
    [{ contents: [{ parts: 'Hi' }] }, 'invalid_value', 'contents[0].parts'],
    [{ contents: [{ parts: ['Hi'] }] }, 'invalid_value', 'contents[0].parts[0]'],
    [{ contents: [{ parts: [] }] }, 'invalid_value', 'contents[0].parts'],
    [
      { contents: [contents[0], { role: 'model', parts: [] }] },
      'invalid_value',
      'contents[1].parts',
    ],
    [{ contents: { parts: [] } }, 'invalid_value', 'contents.parts'],
    [{ contents: [{ role: 1, parts: [{}] }] }, 'invalid_value', 'contents[0].role'],
    [{ contents, generationConfig: 1 }, 'invalid_value', 'generationConfig'],
    [
      { contents, generationConfig: { maxOutputTokens: 0 } },
      'invalid_value',
      'generationConfig.maxOutputTokens',
    ],
    [
      { contents, generation_config: { max_output_tokens: 'x' } },
      'invalid_value',
      'generation_config.max_output_tokens',
    ],
    [{ contents, tools: 5 }, 'invalid_value', 'tools'],
    [[], 'invalid_value', ''],
  ])('refuses %j', (body, code, param) => {
    expect(generate.check(body) as object).toMatchObject({ code, param })
  })

  test('counts take contents or a whole request; embeddings take contents', () => {
    expect(countTokens.check({ contents })).toBeUndefined()
    expect(countTokens.check({ generateContentRequest: { contents } })).toBeUndefined()
    expect(countTokens.check({})).toMatchObject({ code: 'missing_parameter', param: 'contents' })
    expect(embed.check({ content: contents[0] })).toBeUndefined()
    expect(embed.check({})).toMatchObject({ param: 'content' })
    expect(batchEmbed.check({ requests: [{ content: contents[0] }] })).toBeUndefined()
    expect(batchEmbed.check({ requests: [{}] })).toMatchObject({ param: 'requests[0].content' })
    expect(batchEmbed.check({ requests: [] })).toMatchObject({ param: 'requests' })
  })

  test('its model is in the path, and repeated names follow it upstream', () => {
    expect(generate.read({ contents })).toMatchObject({
      model: undefined,
      stream: false,
      amend: {},
    })
    expect(generate.rename({ contents }, 'up')).toEqual({})
    const request = { model: 'models/alias', content: contents[0] }
    expect(embed.rename(request, 'up')).toEqual({ model: 'models/up' })
    expect(batchEmbed.rename({ requests: [request, { content: 1 }] }, 'up')).toEqual({
      requests: [{ model: 'models/up', content: contents[0] }, { content: 1 }],
    })
    expect(countTokens.rename({ generateContentRequest: { model: 'models/alias' } }, 'up')).toEqual(
      {
        generateContentRequest: { model: 'models/up' },
      },
    )
  })

  test('its text holds instructions, contents and tools, no media', () => {
    const parts = [
      { text: 'Hi' },
      { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
      { thoughtSignature: 'B' },
    ]
    const body = {
      systemInstruction: { parts: [{ text: 'S' }] },
      contents: [{ role: 'user', parts }],
    }
    expect(generate.read(body).text()).toBe('S\nHi')
  })
})
