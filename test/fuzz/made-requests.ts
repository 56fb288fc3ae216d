import type { JsonObject, ProtocolName } from '../../src/protocols/protocol.ts'
import { sealOf } from './oddities.ts'

const schema = {
  type: 'object',
  properties: { x: { type: ['string', 'null'], enum: ['a', null] }, y: { $ref: '#/$defs/y' } },
  required: ['x'],
  additionalProperties: false,
  $defs: {
    y: {
      anyOf: [
        { type: 'integer', minimum: 1 },
        { type: 'array', items: {} },
      ],
    },
  },
}
const image = 'data:image/png;base64,AAAA'
const pdf = 'data:application/pdf;base64,AAAA'
const seal = sealOf('messages messages.test', { signature: 's' })

/** Small requests that hold a little of everything; all there is where no recordings are. */
export const smallRequests: { readonly [name in ProtocolName]: readonly JsonObject[] } = {
  chat: [
    {
      model: 'm',
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: 'system', content: 'S' },
        {
          role: 'user',
          name: 'me',
          content: [
            { type: 'text', text: 'q' },
            { type: 'image_url', image_url: { url: image, detail: 'low' } },
            { type: 'file', file: { filename: 'a.pdf', file_data: pdf } },
            { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          reasoning_content: 'hm',
          reasoning_details: [
            { type: 'reasoning.encrypted', data: seal, id: 'r', format: 'tollgate', index: 0 },
          ],
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
            { id: 'b', type: 'custom', custom: { name: 'p', input: 'text' } },
          ],
        },
        { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'r' }] },
        { role: 'tool', tool_call_id: 'b', content: 'done' },
        { role: 'developer', content: 'D' },
        { role: 'assistant', content: '', refusal: 'No.' },
        { role: 'user', content: 'again' },
      ],
      tools: [
        { type: 'function', function: { name: 'f', parameters: schema, strict: true } },
        {
          type: 'custom',
          custom: {
            name: 'p',
            format: { type: 'grammar', grammar: { syntax: 'regex', definition: 'a+' } },
          },
        },
      ],
      tool_choice: { type: 'function', function: { name: 'f' } },
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } },
      reasoning_effort: 'low',
      max_completion_tokens: 100,
      stop: ['END'],
      temperature: 1.2,
      logprobs: true,
      top_logprobs: 2,
      seed: 1,
    },
    { model: 'm', messages: [{ role: 'user', content: 'Hi' }] },
  ],
  responses: [
    {
      model: 'm',
      stream: true,
      instructions: 'S',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'q' },
            { type: 'input_image', image_url: image, detail: 'auto' },
            { type: 'input_file', filename: 'a.pdf', file_data: pdf },
          ],
        },
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [{ type: 'summary_text', text: 'hm' }],
          encrypted_content: seal,
        },
        { type: 'function_call', call_id: 'a', name: 'f', arguments: '{"x":1}' },
        { type: 'function_call', call_id: 'n', name: 'g', namespace: 'set', arguments: '{}' },
        { type: 'custom_tool_call', call_id: 'b', name: 'p', input: 'text' },
        {
          type: 'function_call_output',
          call_id: 'a',
          output: [{ type: 'input_text', text: 'r' }],
        },
        { type: 'function_call_output', call_id: 'n', output: 'r' },
        { type: 'custom_tool_call_output', call_id: 'b', output: 'done' },
        {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'a', annotations: [] }],
        },
        { role: 'developer', content: 'D' },
        { role: 'user', content: 'again' },
      ],
      tools: [
        { type: 'function', name: 'f', parameters: schema, strict: true },
        { type: 'custom', name: 'p', format: { type: 'text' } },
        {
          type: 'namespace',
          name: 'set',
          tools: [{ type: 'function', name: 'g', parameters: schema }],
        },
      ],
      tool_choice: {
        type: 'allowed_tools',
        mode: 'required',
        tools: [{ type: 'function', name: 'f' }],
      },
      text: { format: { type: 'json_schema', name: 'n', schema, strict: true }, verbosity: 'low' },
      reasoning: { effort: 'high', summary: 'auto' },
      include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
      max_output_tokens: 100,
      store: false,
    },
    { model: 'm', input: 'Hi' },
  ],
  messages: [
    {
      model: 'm',
      max_tokens: 100,
      stream: true,
      system: [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'q' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            {
              type: 'document',
              source: { type: 'text', media_type: 'text/plain', data: 'd' },
              title: 't',
              context: 'c',
              citations: { enabled: true },
            },
            { type: 'document', source: { type: 'url', url: 'https://files.test/a.pdf' } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: seal },
            { type: 'redacted_thinking', data: 'opaque' },
            { type: 'text', text: 'a' },
            { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
            { type: 'tool_use', id: 'b', name: 'p', input: { input: 'text' } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'a',
              is_error: true,
              content: [{ type: 'text', text: 'r' }],
            },
            { type: 'tool_result', tool_use_id: 'b', content: 'done' },
          ],
        },
      ],
      tools: [
        { name: 'f', input_schema: schema, strict: true, cache_control: { type: 'ephemeral' } },
        { type: 'custom', name: 'p', input_schema: { type: 'object' } },
      ],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      output_config: { format: { type: 'json_schema', schema }, effort: 'medium' },
      thinking: { type: 'adaptive', display: 'summarized' },
      stop_sequences: ['END'],
      metadata: { user_id: 'u' },
    },
    { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }], temperature: 0.5 },
  ],
  gemini: [
    {
      systemInstruction: { parts: [{ text: 'S' }] },
      contents: [
        {
          role: 'user',
          parts: [
            { text: 'q' },
            { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
            { fileData: { fileUri: 'https://files.test/a.pdf', mimeType: 'application/pdf' } },
          ],
        },
        {
          role: 'model',
          parts: [
            { text: 'hm', thought: true, thoughtSignature: seal },
            { functionCall: { id: 'a', name: 'f', args: { x: 1 } }, thoughtSignature: 'Yg==' },
            { functionCall: { name: 'g', args: {} } },
            { text: 'a', thoughtSignature: 'YQ==' },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'a', name: 'f', response: { output: 'r' } } },
            { functionResponse: { name: 'g', response: { error: 'no' } } },
          ],
        },
      ],
      tools: [
        {
          functionDeclarations: [
            { name: 'f', parametersJsonSchema: schema },
            {
              name: 'g',
              parameters: {
                type: 'OBJECT',
                properties: { x: { type: 'ARRAY', items: { type: 'STRING', nullable: true } } },
              },
            },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
      generationConfig: {
        temperature: 1,
        candidateCount: 1,
        stopSequences: ['END'],
        responseMimeType: 'application/json',
        responseJsonSchema: schema,
        thinkingConfig: { thinkingBudget: 1024, includeThoughts: true },
        maxOutputTokens: 100,
      },
    },
    { contents: [{ parts: [{ text: 'Hi' }] }] },
  ],
}
