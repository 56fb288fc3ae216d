// What coding agents send, as observed, and what vendors answer: see the table at the end.

/** What no JSON library would write again in the same way. */
const odd =
  '{ "made_up" : 12345678901234567890,"ratio":1.0,\n\t"escaped":"\\u00e9\\/\\ud83c\\udf0d",'
const oddly = (body: object) => `${JSON.stringify(body).replace('{', odd)}\n`

/** 50 kB, as agents send with every "hello". */
const system = 'You are a coding agent. Rule: “never guess” – 規則。\n'.repeat(900)
const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }

/** Events as a stream. */
export const sse = (events: readonly object[], end = '\n\n') =>
  events
    .map((event) => {
      const name = 'type' in event ? `event: ${event.type}${end.slice(0, end.length / 2)}` : ''
      return `${name}data: ${JSON.stringify(event)}${end}`
    })
    .join('')

/** One request and its answer. */
export interface Call {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The upstream's answer: a stream, or JSON. */
  readonly answer: string
}

const messageStream = sse([
  {
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'fake',
      content: [],
      usage: { input_tokens: 12, cache_read_input_tokens: 9000, output_tokens: 1 },
    },
  },
  {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'thinking', thinking: '', signature: '' },
  },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'c2ln' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Hello.' } },
  { type: 'content_block_stop', index: 1 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } },
  { type: 'message_stop' },
])

/** Headers of Claude Code. */
export const claudeCode = {
  accept: 'application/json',
  'user-agent': 'claude-cli/3.4.1 (external, cli)',
  'anthropic-version': '2023-06-01',
  'anthropic-beta':
    'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,' +
    'prompt-caching-scope-2026-01-05,effort-2025-11-24,structured-outputs-2025-12-15,' +
    'advanced-tool-use-2025-11-20,made-up-2030-01-01',
}
const claudeCodeBody = {
  model: 'fake',
  max_tokens: 32_000,
  stream: true,
  system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral', ttl: '1h' } }],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'hello' }] },
    { role: 'system', content: 'The date has changed.' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: '', signature: 'c2lnbmF0dXJl' },
        { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { path: 'a' } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'text' }] },
  ],
  tools: [
    { name: 'Read', description: 'Reads', input_schema: schema, eager_input_streaming: true },
  ],
  metadata: { user_id: '{"device_id":"d","account_uuid":"","session_id":"s"}' },
  thinking: { type: 'adaptive', display: 'omitted' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  output_config: { effort: 'medium' },
}

const responseStream = sse([
  { type: 'response.created', sequence_number: 0, response: { id: 'resp_1', output: [] } },
  {
    type: 'response.output_item.done',
    sequence_number: 1,
    output_index: 0,
    item: { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'Z2VoZWlt' },
  },
  {
    type: 'response.completed',
    sequence_number: 2,
    response: {
      id: 'resp_1',
      status: 'completed',
      output: [],
      usage: { input_tokens: 20, output_tokens: 4, total_tokens: 24 },
    },
  },
])

const codex = {
  accept: 'text/event-stream',
  'user-agent': 'codex_cli_rs/0.169.0',
  originator: 'codex_cli_rs',
  'session-id': '0199-session',
  'thread-id': '0199-thread',
  'x-codex-turn-metadata': '{"turn_id":"1"}',
  'x-codex-window-id': '0199:0',
  'x-codex-beta-features': 'a,b',
}
const codexBody = {
  model: 'fake',
  instructions: system,
  input: [
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'rules' }] },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] },
    { type: 'reasoning', summary: [], content: null, encrypted_content: 'Z2VoZWlt' },
    { type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input: '*** Begin Patch' },
    { type: 'custom_tool_call_output', call_id: 'c1', output: 'ok' },
  ],
  tools: [
    { type: 'function', name: 'shell', strict: false, parameters: schema },
    { type: 'namespace', name: 'agents', tools: [{ type: 'function', name: 'spawn' }] },
    { type: 'web_search', external_web_access: true },
  ],
  tool_choice: 'auto',
  parallel_tool_calls: true,
  reasoning: { effort: 'medium', summary: 'auto' },
  store: false,
  stream: true,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: '0199-session',
  client_metadata: { 'x-codex-installation-id': 'i' },
}
const clineBody = {
  model: 'fake',
  input: [{ role: 'user', content: 'hello' }],
  stream: true,
  tools: [{ type: 'web_search' }, { type: 'image_generation' }],
  truncation: 'auto',
}

const chunk = (choices: readonly object[], rest: object = {}) => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  choices,
  ...rest,
})
/** What they used. */
export const usage = { prompt_tokens: 11, completion_tokens: 2, total_tokens: 13 }
/** The chunks of a chat stream: text, end. */
export const said = chunk([{ index: 0, delta: { role: 'assistant', content: 'Hello.' } }])
export const stop = chunk([{ index: 0, delta: {}, finish_reason: 'stop' }])
/** A chat stream's last line. */
export const done = 'data: [DONE]\n\n'
/** The same with the usage that was asked for. */
export const countedChat = `${sse([said, stop, chunk([], { usage })])}${done}`

/** Headers of opencode. */
export const opencode = { 'user-agent': 'opencode/2.1', 'x-session-affinity': 'ses_1' }
/** A turn of opencode. */
export const opencodeBody = {
  model: 'fake',
  messages: [
    { role: 'system', content: system, cache_control: { type: 'ephemeral' } },
    { role: 'user', content: 'hello' },
  ],
  stream: true,
  stream_options: { include_usage: true },
  search_parameters: { mode: 'off' },
  reasoning: { effort: 'low' },
}
const copilotBody = {
  model: 'fake',
  messages: [
    { role: 'user', content: 'hello' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'made-up id', type: 'custom', custom: { name: 'patch', input: '***' } }],
    },
    { role: 'tool', tool_call_id: 'made-up id', content: 'ok' },
  ],
  tools: [{ type: 'custom', custom: { name: 'patch', format: { type: 'text' } } }],
  stream: true,
  stream_options: { include_usage: true },
}
const opencodeMessages = {
  model: 'fake',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'hello' }],
  stream: true,
  thinking: { type: 'enabled', budget_tokens: 1024, block_binding: { type: 'strict' } },
}
const blockBinding = {
  'anthropic-version': '2023-06-01',
  'anthropic-beta': 'thinking-block-binding-2026-09-01',
}

const content = { role: 'model', parts: [{ text: 'Hello.' }] }
const counts = { promptTokenCount: 8, candidatesTokenCount: 2, totalTokenCount: 10 }
const generated = { candidates: [{ content, finishReason: 'STOP' }], usageMetadata: counts }
const geminiStream = sse([{ candidates: [{ content }] }, generated], '\r\n\r\n')
const geminiArray = `[${JSON.stringify({ candidates: [{ content }] })}\n,\r\n${JSON.stringify(generated)}\n]\n`

const geminiCli = { 'user-agent': 'GeminiCLI/1.2.0 (linux; x64)' }
const routerBody = {
  systemInstruction: { role: 'user', parts: [{ text: system }] },
  contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
  generationConfig: {
    responseMimeType: 'application/json',
    responseJsonSchema: { type: 'OBJECT', properties: { model: { type: 'STRING' } } },
  },
}
const toolTurn = (id: string) => [
  {
    role: 'model',
    parts: [{ functionCall: { id, name: 'read', args: {} }, thoughtSignature: 'c2ln' }],
  },
]
const geminiBody = {
  systemInstruction: { role: 'user', parts: [{ text: system }] },
  contents: [
    { role: 'user', parts: [{ text: 'hello' }] },
    ...toolTurn('invented-1'),
    { role: 'user', parts: [{ functionResponse: { id: 'invented-1', name: 'read' } }] },
    { role: 'user', parts: [{ functionResponse: { id: 'invented-2', name: 'read' } }] },
  ],
  tools: [{ functionDeclarations: [{ name: 'read', parametersJsonSchema: schema }] }],
}

const gemini = '/v1beta/models/fake'
/** Who sends what. */
export const calls: readonly (readonly [string, Call])[] = [
  [
    'Claude Code',
    {
      path: '/v1/messages?beta=true',
      headers: claudeCode,
      body: oddly(claudeCodeBody),
      answer: messageStream,
    },
  ],
  [
    'Claude Code, counting',
    {
      path: '/v1/messages/count_tokens?beta=true',
      headers: claudeCode,
      body: oddly({ ...claudeCodeBody, stream: undefined, max_tokens: undefined }),
      answer: '{"input_tokens" :  14012 }',
    },
  ],
  [
    'opencode on messages',
    {
      path: '/v1/messages',
      headers: { ...blockBinding, ...opencode },
      body: oddly(opencodeMessages),
      answer: messageStream,
    },
  ],
  [
    'Codex',
    {
      path: '/v1/responses',
      headers: codex,
      body: oddly(codexBody),
      answer: responseStream,
    },
  ],
  ['Cline', { path: '/v1/responses', headers: {}, body: oddly(clineBody), answer: responseStream }],
  [
    'opencode on chat',
    {
      path: '/v1/chat/completions',
      headers: opencode,
      body: oddly(opencodeBody),
      answer: countedChat,
    },
  ],
  [
    'Copilot',
    { path: '/v1/chat/completions', headers: {}, body: oddly(copilotBody), answer: countedChat },
  ],
  [
    'Gemini CLI, asking which model to use',
    {
      path: `${gemini}:generateContent`,
      headers: geminiCli,
      body: oddly(routerBody),
      answer: JSON.stringify(generated, null, 2),
    },
  ],
  [
    'Gemini CLI, streaming with CRLF',
    {
      path: `${gemini}:streamGenerateContent?alt=sse`,
      headers: geminiCli,
      body: oddly(geminiBody),
      answer: geminiStream,
    },
  ],
  [
    'a client that streams the JSON array',
    {
      path: `${gemini}:streamGenerateContent`,
      headers: {},
      body: oddly(geminiBody),
      answer: geminiArray,
    },
  ],
]
