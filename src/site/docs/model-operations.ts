import { chapter, type Operation, type Operations } from './operation.ts'

const created = 1795000000
const hello = [{ role: 'user', content: 'Hello' }]
const greeting = 'Hello! How can I help?'
const untouched = 'Fields that are not named here are passed on to the model unchanged.'

const openAiAnswer = (id: string, object: string, content: object) => ({
  ...{ id, object, created, model: 'gpt-5-mini', ...content },
  usage: { prompt_tokens: 8, completion_tokens: 7, total_tokens: 15 },
})
const image = { created, data: [{ b64_json: 'iVBORw0KGgo…' }] }

const chat = chapter('Chat completions', {
  'POST /v1/chat/completions': {
    summary: 'Answer a conversation',
    description:
      `${untouched} A stream ends with "data: [DONE]"; it tells usage only to those who set ` +
      'stream_options.include_usage.',
    body: { model: 'gpt-5-mini', messages: hello },
    answer: 'The completion, or its events.',
    example: openAiAnswer('chatcmpl-1', 'chat.completion', {
      choices: [
        { index: 0, message: { role: 'assistant', content: greeting }, finish_reason: 'stop' },
      ],
    }),
  },
  'POST /v1/completions': {
    summary: 'Continue a prompt (legacy)',
    description:
      'For clients that know nothing newer. Where the channel does not have this form, the prompt is ' +
      'the only message of a chat completion. An answer without a limit has 16 tokens at the most.',
    fields: { max_tokens: 'Longest answer, in tokens; 16 where it is left out.' },
    body: { model: 'gpt-5-mini', prompt: 'Once upon a time', max_tokens: 100 },
    answer: 'The completion, or its events.',
    example: openAiAnswer('cmpl-1', 'text_completion', {
      choices: [{ text: ' there was a gate.', index: 0, logprobs: null, finish_reason: 'stop' }],
    }),
  },
  'POST /v1/embeddings': {
    summary: 'Turn texts into vectors',
    description:
      'Billed by input tokens. Models of Gemini channels take texts, up to 100 at once, and answer alike.',
    fields: {
      input: 'A text, or a list of texts.',
      dimensions: 'How long each vector is to be: a whole number.',
      encoding_format: 'float or base64 (float32, little-endian).',
    },
    body: { model: 'text-embedding-3-small', input: ['Hello'] },
    answer: 'One vector per text.',
    example: {
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.01, -0.02] }],
      model: 'text-embedding-3-small',
      usage: { prompt_tokens: 1, total_tokens: 1 },
    },
  },
  'POST /v1/images/generations': {
    summary: 'Make images from a text',
    description: 'Billed per image (n), or by tokens where the model has token prices.',
    fields: { prompt: 'What to show.' },
    body: { model: 'gpt-image-1', prompt: 'A lighthouse at dawn', n: 1 },
    answer: 'The images, each as base64 or as an address.',
    example: image,
  },
  'POST /v1/images/edits': {
    summary: 'Change an image',
    contentType: 'multipart/form-data',
    fields: { prompt: 'What to change.', image: 'The image file; may be there several times.' },
    body: { model: 'gpt-image-1', prompt: 'Add a boat', image: '@lighthouse.png' },
    answer: 'The images, each as base64 or as an address.',
    example: image,
  },
})

const stored = {
  parameters: [
    {
      name: 'id',
      place: 'path',
      description: 'Id of a response that this token got from here.',
      example: 'resp_0123',
    },
  ],
  others: { 404: 'This token got no such response from here lately.' },
} as const
const response = { id: 'resp_0123', object: 'response' }

const responses = chapter('Responses', {
  'POST /v1/responses': {
    summary: 'Make a response',
    description: untouched,
    body: { model: 'gpt-5-mini', input: 'Hello' },
    answer: 'The response, or its events.',
    example: {
      ...response,
      ...{ status: 'completed', model: 'gpt-5-mini' },
      output: [
        {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: greeting }],
        },
      ],
      usage: { input_tokens: 8, output_tokens: 7, total_tokens: 15 },
    },
  },
  'POST /v1/responses/compact': {
    summary: 'Shorten a long conversation',
    fields: { input: 'The items so far.' },
    body: { model: 'gpt-5-mini', input: hello },
    answer: 'Items to go on with instead.',
    example: { id: 'resp_0124', object: 'response.compaction', output: [] },
  },
  'POST /v1/responses/input_tokens': {
    summary: 'Count the tokens of an input',
    description: 'Never charged.',
    body: { model: 'gpt-5-mini', input: 'Hello' },
    answer: 'The count.',
    example: { object: 'response.input_tokens', input_tokens: 8 },
  },
  'GET /v1/responses': {
    summary: 'Responses over a WebSocket',
    description:
      'With Upgrade: websocket, as OpenAI speaks it: response.create with the fields of a POST, each event ' +
      'of the answer as a message. One response at a time; each is a request like any other.',
    answer: 'With 101: the connection. It lives for an hour.',
    example: {},
    others: {
      404: 'There is no Upgrade header.',
      426: 'There are no WebSockets here: use POST.',
    },
  },
  'GET /v1/responses/{id}': {
    summary: 'Fetch a stored response',
    ...stored,
    answer: 'The response, whole.',
    example: { ...response, status: 'completed', output: [] },
  },
  'DELETE /v1/responses/{id}': {
    summary: 'Delete a stored response',
    ...stored,
    answer: 'It is gone.',
    example: { ...response, deleted: true },
  },
})

const messages = chapter('Messages', {
  'POST /v1/messages': {
    summary: 'Answer a conversation',
    description:
      'Headers anthropic-version and anthropic-beta are passed on as they come, and so are fields ' +
      'that are not named here.',
    body: { model: 'claude-sonnet-4-5', max_tokens: 256, messages: hello },
    answer: 'The message, or its events.',
    example: {
      ...{ id: 'msg_0123', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5' },
      content: [{ type: 'text', text: greeting }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 8, output_tokens: 7 },
    },
  },
  'POST /v1/messages/count_tokens': {
    summary: 'Count the tokens of a request',
    description: 'Tools and system included. Never charged.',
    body: { model: 'claude-sonnet-4-5', messages: hello },
    answer: 'The count.',
    example: { input_tokens: 8 },
  },
})

const generate: Omit<Operation, 'tag'> = {
  summary: 'Generate, stream, count or embed',
  description: 'The model id may hold slashes. A token in ?key= is not accepted by default.',
  parameters: [
    {
      name: 'model',
      place: 'path',
      description:
        'Model id, a colon and the action: generateContent, streamGenerateContent, countTokens, ' +
        'embedContent or batchEmbedContents.',
      example: 'gemini-2.5-flash:generateContent',
    },
    {
      name: 'alt',
      place: 'query',
      description: 'sse: a stream is server-sent events; without it, one JSON array.',
      example: 'sse',
    },
  ],
  body: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  answer: 'The answer, its pieces, the count or the vectors.',
  example: {
    candidates: [{ content: { role: 'model', parts: [{ text: greeting }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 8, candidatesTokenCount: 7, totalTokenCount: 15 },
  },
}

const oneModel = {
  parameters: [
    {
      name: 'model',
      place: 'path',
      description: 'Model id; it may hold slashes.',
      example: 'gpt-5-mini',
    },
  ],
  answer: 'The model.',
  others: { 404: 'There is no such model.' },
} as const
const openModel = {
  ...{ id: 'gpt-5-mini', object: 'model', created, owned_by: 'openai', type: 'model' },
  ...{ display_name: 'gpt-5-mini', created_at: '2026-11-18T08:26:40.000Z' },
}
const geminiModel = {
  name: 'models/gpt-5-mini',
  displayName: 'gpt-5-mini',
  supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
}

const gemini = chapter('Gemini', {
  'POST /v1beta/models/{model}': generate,
  'POST /v1/models/{model}': { ...generate, summary: 'The same, as @google/genai asks for it' },
  'GET /v1beta/models': {
    summary: "List the models, in Gemini's shape",
    answer: 'The models.',
    example: { models: [geminiModel] },
  },
  'GET /v1beta/models/{model}': {
    summary: "Show a model, in Gemini's shape",
    ...oneModel,
    example: geminiModel,
  },
})

const models = chapter('Models', {
  'GET /v1/models': {
    summary: 'List the models',
    description: "Every enabled model, also those that the token's group does not include.",
    answer: "The models, with both vendors' fields; Gemini's for those who send its header.",
    example: { object: 'list', data: [openModel], has_more: false },
  },
  'GET /v1/models/{model}': { summary: 'Show a model', ...oneModel, example: openModel },
})

/** The model endpoints. */
export const modelOperations: Operations = {
  ...chat,
  ...responses,
  ...messages,
  ...gemini,
  ...models,
}
