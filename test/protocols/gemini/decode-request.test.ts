import { describe, expect, test } from 'bun:test'
import { TranslationError } from '../../../src/protocols/canonical/error.ts'
import { gemini } from '../../../src/protocols/gemini/index.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { decode, nativeOf, target } from './codec-support.ts'

const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }]
const configured = (generationConfig: object) => decode({ contents, generationConfig })

describe('a request for Gemini, decoded', () => {
  test('names the model and the stream that the path asks for', () => {
    const body = { contents, model: 'models/other' }
    const { model, stream } = gemini.codec.decodeRequest(body, { model: 'm', stream: true })
    expect({ model, stream }).toEqual({ model: 'm', stream: true })
  })

  test('is the same in camelCase and in snake_case, with arrays and with single values', () => {
    const tool = { name: 'look', description: 'Looks.', parameters: { type: 'OBJECT' } }
    const camel = decode({
      systemInstruction: { parts: [{ text: 'S' }] },
      contents: [
        { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
      ],
      tools: [{ functionDeclarations: [tool] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['look'] } },
      generationConfig: { maxOutputTokens: 5, thinkingConfig: { thinkingBudget: 7 } },
    })
    const snake = decode({
      system_instruction: { parts: { text: 'S' } },
      contents: { parts: { inline_data: { mime_type: 'image/png', data: 'AAAA' } } },
      tools: { function_declarations: tool },
      tool_config: { function_calling_config: { mode: 'any', allowed_function_names: ['look'] } },
      generation_config: { max_output_tokens: 5, thinking_config: { thinking_budget: 7 } },
    })
    expect(snake).toEqual(camel)
    expect(camel).toMatchObject({
      turns: [{ role: 'system' }, { role: 'user', parts: [{ type: 'image' }] }],
      tools: [{ name: 'look', kind: 'function', parameters: { type: 'object' } }],
      toolChoice: { type: 'tool', name: 'look' },
      maxOutputTokens: 5,
      reasoning: { amount: { type: 'budget', tokens: 7 } },
    })
  })

  test('T16 T17: reads every setting', () => {
    expect(
      configured({
        maxOutputTokens: 9,
        temperature: '0.5',
        topP: 0.4,
        topK: 3,
        candidateCount: 2,
        stopSequences: ['a', 'b'],
        seed: 1,
        presencePenalty: 0.1,
        frequencyPenalty: -0.2,
        responseLogprobs: true,
        logprobs: 4,
        responseMimeType: 'application/json',
      }),
    ).toMatchObject({
      maxOutputTokens: 9,
      temperature: 0.5,
      topP: 0.4,
      topK: 3,
      choices: 2,
      stop: ['a', 'b'],
      seed: 1,
      presencePenalty: 0.1,
      frequencyPenalty: -0.2,
      logprobs: 4,
      format: { type: 'json', isAny: true },
    })
    expect(decode({ contents, labels: { a: 'b' }, serviceTier: 'standard' })).toMatchObject({
      metadata: { a: 'b' },
      serviceTier: 'default',
    })
  })

  test('what is null, empty or the default was not asked for', () => {
    const bare = decode({ contents })
    expect(
      decode({
        contents,
        systemInstruction: null,
        tools: [],
        labels: {},
        safetySettings: [],
        serviceTier: 'unspecified',
        toolConfig: { functionCallingConfig: { mode: 'MODE_UNSPECIFIED' } },
        generationConfig: {
          candidateCount: 1,
          stopSequences: [],
          temperature: null,
          responseMimeType: 'text/plain',
          responseModalities: ['TEXT'],
          thinkingConfig: {},
        },
      }),
    ).toEqual(bare)
  })

  test.each<[object, unknown]>([
    [{ mode: 'AUTO' }, { type: 'auto' }],
    [{ mode: 'VALIDATED' }, { type: 'auto' }],
    [{ mode: 'NONE' }, { type: 'none' }],
    [{ mode: 'ANY' }, { type: 'required' }],
    [{ mode: 'ANY', allowedFunctionNames: [] }, { type: 'required' }],
    [
      { mode: 'ANY', allowedFunctionNames: ['a'] },
      { type: 'tool', name: 'a' },
    ],
    [
      { mode: 'ANY', allowedFunctionNames: ['a', 'b'] },
      { type: 'allowed', names: ['a', 'b'], isRequired: true },
    ],
    [
      { mode: 'VALIDATED', allowedFunctionNames: ['a'] },
      { type: 'allowed', names: ['a'], isRequired: false },
    ],
  ])('T17: functionCallingConfig %j is the choice %j', (functionCallingConfig, choice) => {
    expect(decode({ contents, toolConfig: { functionCallingConfig } }).toolChoice).toEqual(
      choice as never,
    )
  })

  test.each<[object, unknown]>([
    [{ thinkingBudget: 0 }, { amount: { type: 'off' } }],
    [{ thinkingBudget: -1 }, { amount: { type: 'auto' } }],
    [{ thinkingBudget: 512 }, { amount: { type: 'budget', tokens: 512 } }],
    [{ thinkingLevel: 'LOW' }, { amount: { type: 'effort', effort: 'low' } }],
    [{ thinkingLevel: 'minimal' }, { amount: { type: 'effort', effort: 'minimal' } }],
    [{ thinkingLevel: 'THINKING_LEVEL_UNSPECIFIED', includeThoughts: false }, { show: 'none' }],
    [{ includeThoughts: true }, { show: 'auto' }],
  ])('thinkingConfig %j is the reasoning %j', (thinkingConfig, reasoning) => {
    expect(configured({ thinkingConfig }).reasoning).toEqual(reasoning as never)
  })

  test.each([
    'responseSchema',
    'responseJsonSchema',
    '_responseJsonSchema',
    'response_json_schema',
  ])('a schema in %s is the format of the answer, its types in small letters', (field) => {
    const schema = { type: 'OBJECT', properties: { type: { type: 'STRING' } } }
    const generationConfig = { responseMimeType: 'application/json', [field]: schema }
    const body = { contents, generationConfig }
    expect(gemini.codec.decodeRequest(body, target).format).toEqual({
      type: 'schema',
      at: `generationConfig.${field}`,
      schema: { type: 'object', properties: { type: { type: 'string' } } },
    })
  })

  test('the whole request in a request for a count is read', () => {
    const generateContentRequest = { model: 'models/m', contents }
    expect(decode({ generateContentRequest })).toEqual(decode({ contents }))
  })

  test('tools: descriptions may be missing or empty, parameters of either kind', () => {
    const { tools } = decode({
      contents,
      tools: [
        { functionDeclarations: [{ name: 'a', description: '' }] },
        { functionDeclarations: [{ name: 'b', parametersJsonSchema: { type: 'object' } }] },
      ],
    })
    expect(tools).toEqual([
      { kind: 'function', name: 'a' },
      { kind: 'function', name: 'b', parameters: { type: 'object' } },
    ])
  })
})

describe('what only Gemini has', () => {
  test.each<[object, string]>([
    [{ tools: [{ googleSearch: {} }] }, 'hosted_tool tools[0].googleSearch'],
    [{ tools: [{ code_execution: {} }] }, 'hosted_tool tools[0].code_execution'],
    [{ tools: { urlContext: {} } }, 'hosted_tool tools.urlContext'],
    [{ tools: [{ newerThanThis: {} }] }, 'hosted_tool tools[0].newerThanThis'],
    [{ tools: [{ computerUse: {} }] }, 'vendor_tool tools[0].computerUse'],
    [{ cachedContent: 'cachedContents/1' }, 'cached_content cachedContent'],
    [{ safety_settings: [{}] }, 'safety_settings safety_settings'],
    [{ modelArmorConfig: {} }, 'safety_settings modelArmorConfig'],
    [{ store: true }, 'store store'],
    [{ somethingNew: 1 }, 'unknown_field somethingNew'],
    [
      { toolConfig: { includeServerSideToolInvocations: true } },
      'include toolConfig.includeServerSideToolInvocations',
    ],
    [{ toolConfig: { retrievalConfig: {} } }, 'unknown_field toolConfig.retrievalConfig'],
    [
      { generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } },
      'output_modality generationConfig.responseModalities',
    ],
    [
      { generation_config: { speech_config: {} } },
      'output_modality generation_config.speech_config',
    ],
    [{ generationConfig: { imageConfig: {} } }, 'output_modality generationConfig.imageConfig'],
    [
      { generationConfig: { mediaResolution: 'LOW' } },
      'unknown_field generationConfig.mediaResolution',
    ],
    [
      { tools: [{ functionDeclarations: [{ name: 'a', behavior: 'BLOCKING' }] }] },
      'unknown_field tools[0].functionDeclarations[0].behavior',
    ],
  ])('%j is noted by its path', (more, use) => {
    expect(nativeOf({ contents, ...more })).toEqual([use])
  })

  test.each<object>([
    { store: false },
    { tools: [{ googleSearch: null, functionDeclarations: [{ name: 'a', behavior: null }] }] },
    { toolConfig: { includeServerSideToolInvocations: false } },
    { safetySettings: [] },
    { generationConfig: { mediaResolution: null, speechConfig: null } },
  ])('%j is nothing to note', (more) => {
    expect(nativeOf({ contents, ...more })).toEqual([])
  })
})

describe('what the vendor would refuse is refused by its path', () => {
  test.each<[JsonObject, string]>([
    [{ contents: [{ role: 'assistant', parts: [] }] }, 'contents[0].role'],
    [
      { contents: [{ parts: [{ functionCall: { args: {} } }] }] },
      'contents[0].parts[0].functionCall.name',
    ],
    [
      { contents: [{ parts: [{ functionResponse: {} }] }] },
      'contents[0].parts[0].functionResponse.name',
    ],
    [
      { contents: [{ parts: [{ inlineData: { data: 'AAAA' } }] }] },
      'contents[0].parts[0].inlineData.mimeType',
    ],
    [
      { contents: [{ parts: [{ inlineData: { mimeType: 'image/png' } }] }] },
      'contents[0].parts[0].inlineData.data',
    ],
    [{ contents: [{ parts: [{ fileData: {} }] }] }, 'contents[0].parts[0].fileData.fileUri'],
    [
      { contents, tools: [{ functionDeclarations: [{}] }] },
      'tools[0].functionDeclarations[0].name',
    ],
    [{ contents, tools: [1] }, 'tools[0]'],
    [{ contents, labels: { a: 1 } }, 'labels.a'],
    [
      { contents, toolConfig: { functionCallingConfig: { mode: 'SOME' } } },
      'toolConfig.functionCallingConfig.mode',
    ],
    [{ contents, generationConfig: { temperature: 'hot' } }, 'generationConfig.temperature'],
    [
      { contents, generationConfig: { responseMimeType: 'text/x.enum' } },
      'generationConfig.responseMimeType',
    ],
  ])('%j', (body, param) => {
    let fault: unknown
    try {
      gemini.codec.decodeRequest(body, target)
    } catch (error) {
      fault = error
    }
    expect(fault).toBeInstanceOf(TranslationError)
    expect((fault as TranslationError).fault.param).toBe(param)
    expect((fault as TranslationError).message).toStartWith(param)
  })
})
