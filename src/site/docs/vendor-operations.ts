import { type Operation, optional, required } from './operation.ts'

const model = required('string', 'Model id, spelt as GET /v1/models lists it.')
const messages = required('array', 'The conversation: role and content of each turn.')

/** Messages. */
export const messagesOperations: Readonly<Record<string, Operation>> = {
  'POST /v1/messages': {
    tag: 'Messages',
    summary: 'Answer a conversation',
    description:
      'Headers anthropic-version and anthropic-beta are passed on as they come, and so are fields ' +
      'that are not named here.',
    fields: {
      model,
      max_tokens: required('integer', 'Longest answer, in tokens; at least 1.'),
      messages,
      system: optional('string', 'What the model is told beforehand.'),
      stream: optional('boolean', 'true: server-sent events as the answer comes into being.'),
    },
    body: {
      model: 'claude-sonnet-4-5',
      max_tokens: 256,
      messages: [{ role: 'user', content: 'Hello' }],
    },
    answer: 'The message, or its events.',
    example: {
      id: 'msg_0123',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [{ type: 'text', text: 'Hello! How can I help?' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 8, output_tokens: 7 },
    },
  },
  'POST /v1/messages/count_tokens': {
    tag: 'Messages',
    summary: 'Count the tokens of a request',
    description: 'Tools and system included. Never charged.',
    fields: { model, messages },
    body: { model: 'claude-sonnet-4-5', messages: [{ role: 'user', content: 'Hello' }] },
    answer: 'The count.',
    example: { input_tokens: 8 },
  },
}

const target = {
  name: 'model',
  place: 'path',
  description:
    'Model id, a colon and the action: generateContent, streamGenerateContent, countTokens, ' +
    'embedContent or batchEmbedContents.',
  example: 'gemini-2.5-flash:generateContent',
} as const

const generate: Operation = {
  tag: 'Gemini',
  summary: 'Generate, stream, count or embed',
  description: 'The model id may hold slashes. A token in ?key= is not accepted by default.',
  parameters: [
    target,
    {
      name: 'alt',
      place: 'query',
      description: 'sse: a stream is server-sent events; without it, one JSON array.',
      example: 'sse',
    },
  ],
  fields: {
    contents: required('array', 'The conversation: role and parts of each turn.'),
    generationConfig: optional('object', 'Temperature, longest answer, shape of the answer.'),
  },
  body: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  answer: 'The answer, its pieces, the count or the vectors.',
  example: {
    candidates: [
      {
        content: { role: 'model', parts: [{ text: 'Hello! How can I help?' }] },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: { promptTokenCount: 8, candidatesTokenCount: 7, totalTokenCount: 15 },
  },
}

const modelId = {
  name: 'model',
  place: 'path',
  description: 'Model id; it may hold slashes.',
  example: 'gpt-5-mini',
} as const

const openModel = {
  id: 'gpt-5-mini',
  object: 'model',
  created: 1795000000,
  owned_by: 'openai',
  type: 'model',
  display_name: 'gpt-5-mini',
  created_at: '2026-11-18T08:26:40.000Z',
}
const geminiModel = {
  name: 'models/gpt-5-mini',
  displayName: 'gpt-5-mini',
  supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
}

/** Gemini, and the lists of models. */
export const geminiOperations: Readonly<Record<string, Operation>> = {
  'POST /v1beta/models/{model}': generate,
  'POST /v1/models/{model}': { ...generate, summary: 'The same, as @google/genai asks for it' },
  'GET /v1beta/models': {
    tag: 'Gemini',
    summary: "List the models, in Gemini's shape",
    answer: 'The models.',
    example: { models: [geminiModel] },
  },
  'GET /v1beta/models/{model}': {
    tag: 'Gemini',
    summary: "Show a model, in Gemini's shape",
    parameters: [modelId],
    answer: 'The model.',
    example: geminiModel,
    others: { 404: 'There is no such model.' },
  },
  'GET /v1/models': {
    tag: 'Models',
    summary: 'List the models',
    description: "Every enabled model, also those that the token's group does not include.",
    answer: "The models, with both vendors' fields; Gemini's for those who send its header.",
    example: { object: 'list', data: [openModel], has_more: false },
  },
  'GET /v1/models/{model}': {
    tag: 'Models',
    summary: 'Show a model',
    parameters: [modelId],
    answer: 'The model.',
    example: openModel,
    others: { 404: 'There is no such model.' },
  },
}
