import { describe, expect, test } from 'bun:test'
import { TranslationError } from '../../../src/protocols/canonical/error.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { bare, decode } from './codec-scene.ts'

const user = (content: unknown) => ({ role: 'user', content })
const call = (id: string, name: string, args: unknown) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})

describe('what only chat has', () => {
  const uses: readonly (readonly [body: JsonObject, feature: string, at: string])[] = [
    [{ store: true }, 'store', 'store'],
    [{ modalities: ['text', 'audio'] }, 'output_modality', 'modalities'],
    [{ prediction: { type: 'content', content: 'x' } }, 'prediction', 'prediction'],
    [{ web_search_options: {} }, 'hosted_tool', 'web_search_options'],
    [{ tools: [{ type: 'web_search' }] }, 'hosted_tool', 'tools[0]'],
    [{ service_tier: 'scale' }, 'unknown_field', 'service_tier'],
    [{ prompt_cache_retention: '24h' }, 'unknown_field', 'prompt_cache_retention'],
    [{ repetition_penalty: 1.1 }, 'unknown_field', 'repetition_penalty'],
    [{ response_format: { type: 'grammar' } }, 'unknown_field', 'response_format'],
    [
      { messages: [user([{ type: 'file', file: { file_id: 'file-1' } }])] },
      'uploaded_file',
      'messages[0].content[0].file.file_id',
    ],
    [
      { messages: [user('x'), { role: 'assistant', content: null, audio: { id: 'a' } }] },
      'stored_state',
      'messages[1].audio',
    ],
    [{ messages: [user([{ type: 'hologram' }])] }, 'unknown_part', 'messages[0].content[0]'],
    [
      {
        messages: [
          {
            role: 'system',
            content: [{ type: 'image_url', image_url: { url: 'https://x.test' } }],
          },
        ],
      },
      'unknown_part',
      'messages[0].content[0]',
    ],
    [
      { messages: [{ role: 'assistant', tool_calls: [{ id: 'c', type: 'telepathy' }] }] },
      'unknown_part',
      'messages[0].tool_calls[0]',
    ],
  ]
  for (const [body, feature, at] of uses) {
    test(`${feature} at ${at} is noted`, () => {
      expect(decode(body).native).toEqual([{ feature: feature as never, at }])
    })
  }

  test('what has no consequence elsewhere is not', () => {
    const body = {
      stream: true,
      stream_options: { include_usage: true },
      store: false,
      modalities: ['text'],
      response_format: { type: 'text' },
      tools: [],
      logit_bias: {},
      metadata: {},
      n: 1,
      presence_penalty: 0,
      logprobs: false,
      service_tier: null,
      strange: null,
    }
    const request = bare(decode(body))
    const turns = [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }]
    expect(request).toEqual({ model: 'm', stream: true, turns, tools: [], native: [] })
  })
})

describe('a chat request that its own vendor would refuse', () => {
  const faults: readonly (readonly [body: JsonObject, param: string])[] = [
    [{ messages: [{ role: 'narrator', content: 'x' }] }, 'messages[0].role'],
    [{ messages: ['x'] }, 'messages[0]'],
    [{ messages: [user([{ type: 'text', text: 5 }])] }, 'messages[0].content[0].text'],
    [{ messages: [user([{ type: 'image_url' }])] }, 'messages[0].content[0].image_url.url'],
    [
      { messages: [user([{ type: 'image_url', image_url: { url: 'data:image/png,raw' } }])] },
      'messages[0].content[0].image_url.url',
    ],
    [
      { messages: [user([{ type: 'file', file: { file_data: 'AAA=' } }])] },
      'messages[0].content[0].file.file_data',
    ],
    [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].tool_call_id'],
    [
      { messages: [{ role: 'assistant', tool_calls: [{ id: 'c', function: {} }] }] },
      'messages[0].tool_calls[0].function.name',
    ],
    [
      { messages: [{ role: 'assistant', tool_calls: [call('c', 'f', 5)] }] },
      'messages[0].tool_calls[0].function.arguments',
    ],
    [{ tools: [{ type: 'function' }] }, 'tools[0].function'],
    [{ tools: [{ type: 'function', function: {} }] }, 'tools[0].function.name'],
    [
      { tools: [{ type: 'function', function: { name: 'f', parameters: 5 } }] },
      'tools[0].function.parameters',
    ],
    [{ functions: [{}] }, 'functions[0].name'],
    [{ tool_choice: 'sometimes' }, 'tool_choice'],
    [{ tool_choice: { type: 'function' } }, 'tool_choice.function'],
    [{ reasoning_effort: 'enormous' }, 'reasoning_effort'],
    [{ reasoning: { effort: 'enormous' } }, 'reasoning.effort'],
    [{ verbosity: 'mute' }, 'verbosity'],
    [{ top_p: '1' }, 'top_p'],
    [{ stop: [5] }, 'stop[0]'],
    [{ logit_bias: { 5: 'x' } }, 'logit_bias.5'],
    [{ metadata: { a: 1 } }, 'metadata.a'],
  ]
  for (const [body, param] of faults) {
    test(`is refused at ${param}`, () => {
      const fault = caught(() => decode(body))
      expect(fault).toBeInstanceOf(TranslationError)
      expect((fault as TranslationError).fault).toMatchObject({ code: 'invalid_value', param })
    })
  }
})

function caught(step: () => unknown): unknown {
  try {
    step()
  } catch (error) {
    return error
  }
  return undefined
}
