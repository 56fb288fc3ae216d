import { type Operation, optional, required } from './operation.ts'

const model = required('string', 'Model id, spelt as GET /v1/models lists it.')
const stream = optional('boolean', 'true: server-sent events as the answer comes into being.')
const responseId = {
  name: 'id',
  place: 'path',
  description: 'Id of a response that this token got from here.',
  example: 'resp_0123',
} as const

/** Chat completions, their legacy form, embeddings and images. */
export const chatOperations: Readonly<Record<string, Operation>> = {
  'POST /v1/chat/completions': {
    tag: 'Chat completions',
    summary: 'Answer a conversation',
    description:
      'Fields that are not named here are passed on to the model unchanged. A stream ends with ' +
      '"data: [DONE]"; it tells usage only to those who set stream_options.include_usage.',
    fields: {
      model,
      messages: required('array', 'The conversation: role and content of each turn.'),
      stream,
      max_completion_tokens: optional('integer', 'Longest answer, in tokens; at least 1.'),
      tools: optional('array', 'Functions that the model may call.'),
    },
    body: { model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Hello' }] },
    answer: 'The completion, or its events.',
    example: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1795000000,
      model: 'gpt-5-mini',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello! How can I help?' },
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: 8, completion_tokens: 7, total_tokens: 15 },
    },
  },
  'POST /v1/completions': {
    tag: 'Chat completions',
    summary: 'Continue a prompt (legacy)',
    description:
      'For clients that know nothing newer. Where the channel does not have this form, the prompt is ' +
      'the only message of a chat completion. An answer without a limit has 16 tokens at the most.',
    fields: {
      model,
      prompt: required('string', 'The text.'),
      stream,
      max_tokens: optional('integer', 'Longest answer, in tokens; 16 where it is left out.'),
    },
    body: { model: 'gpt-5-mini', prompt: 'Once upon a time', max_tokens: 100 },
    answer: 'The completion, or its events.',
    example: {
      id: 'cmpl-1',
      object: 'text_completion',
      created: 1795000000,
      model: 'gpt-5-mini',
      choices: [{ text: ' there was a gate.', index: 0, logprobs: null, finish_reason: 'stop' }],
      usage: { prompt_tokens: 8, completion_tokens: 7, total_tokens: 15 },
    },
  },
  'POST /v1/embeddings': {
    tag: 'Chat completions',
    summary: 'Turn texts into vectors',
    description:
      'Billed by input tokens. Models of Gemini channels take texts, up to 100 at once, and answer alike.',
    fields: {
      model,
      input: required('array', 'A text, or a list of texts.'),
      dimensions: optional('integer', 'How long each vector is to be.'),
      encoding_format: optional('string', 'float or base64 (float32, little-endian).'),
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
    tag: 'Chat completions',
    summary: 'Make images from a text',
    description: 'Billed per image (n), or by tokens where the model has token prices.',
    fields: {
      model,
      prompt: required('string', 'What to show.'),
      n: optional('integer', 'How many images.'),
    },
    body: { model: 'gpt-image-1', prompt: 'A lighthouse at dawn', n: 1 },
    answer: 'The images, each as base64 or as an address.',
    example: { created: 1795000000, data: [{ b64_json: 'iVBORw0KGgo…' }] },
  },
  'POST /v1/images/edits': {
    tag: 'Chat completions',
    summary: 'Change an image',
    contentType: 'multipart/form-data',
    fields: {
      model,
      prompt: required('string', 'What to change.'),
      image: required('string', 'The image file; may stand there several times.'),
    },
    body: { model: 'gpt-image-1', prompt: 'Add a boat', image: '@lighthouse.png' },
    answer: 'The images, each as base64 or as an address.',
    example: { created: 1795000000, data: [{ b64_json: 'iVBORw0KGgo…' }] },
  },
}

/** Responses. */
export const responsesOperations: Readonly<Record<string, Operation>> = {
  'POST /v1/responses': {
    tag: 'Responses',
    summary: 'Make a response',
    description: 'Fields that are not named here are passed on to the model unchanged.',
    fields: {
      model,
      input: required('string', 'The prompt, or a list of items.'),
      stream,
      previous_response_id: optional('string', 'Goes on from a response that this token got.'),
    },
    body: { model: 'gpt-5-mini', input: 'Hello' },
    answer: 'The response, or its events.',
    example: {
      id: 'resp_0123',
      object: 'response',
      status: 'completed',
      model: 'gpt-5-mini',
      output: [
        {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'Hello! How can I help?' }],
        },
      ],
      usage: { input_tokens: 8, output_tokens: 7, total_tokens: 15 },
    },
  },
  'POST /v1/responses/compact': {
    tag: 'Responses',
    summary: 'Shorten a long conversation',
    fields: { model, input: required('array', 'The items so far.') },
    body: { model: 'gpt-5-mini', input: [{ role: 'user', content: 'Hello' }] },
    answer: 'Items to go on with instead.',
    example: { id: 'resp_0124', object: 'response.compaction', output: [] },
  },
  'POST /v1/responses/input_tokens': {
    tag: 'Responses',
    summary: 'Count the tokens of an input',
    description: 'Never charged.',
    fields: { model, input: required('string', 'The prompt, or a list of items.') },
    body: { model: 'gpt-5-mini', input: 'Hello' },
    answer: 'The count.',
    example: { object: 'response.input_tokens', input_tokens: 8 },
  },
  'GET /v1/responses': {
    tag: 'Responses',
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
    tag: 'Responses',
    summary: 'Fetch a stored response',
    parameters: [responseId],
    answer: 'The response, whole.',
    example: { id: 'resp_0123', object: 'response', status: 'completed', output: [] },
    others: { 404: 'This token got no such response from here lately.' },
  },
  'DELETE /v1/responses/{id}': {
    tag: 'Responses',
    summary: 'Delete a stored response',
    parameters: [responseId],
    answer: 'It is gone.',
    example: { id: 'resp_0123', object: 'response', deleted: true },
    others: { 404: 'This token got no such response from here lately.' },
  },
}
