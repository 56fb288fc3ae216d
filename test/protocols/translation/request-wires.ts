import type { JsonObject, ProtocolName } from '../../../src/protocols/protocol.ts'

/*
 * The same wishes in the words of each protocol, written by hand after the vendors' references: of
 * its clients, and so of what its upstreams must get.
 */

/** A body, or some of its members, of each protocol. */
export type Bodies = { readonly [client in ProtocolName]: JsonObject }

/** Where a limit of the answer is. */
export const limits: { readonly [protocol in ProtocolName]: string } = {
  chat: 'max_completion_tokens',
  responses: 'max_output_tokens',
  messages: 'max_tokens',
  gemini: 'generationConfig.maxOutputTokens',
}
/** Tools and the choice of them, as each protocol says it. */
const parameters = { type: 'object', properties: {} }
export const tools: Bodies = {
  chat: { tools: ['a', 'b'].map((name) => ({ type: 'function', function: { name, parameters } })) },
  responses: { tools: ['a', 'b'].map((name) => ({ type: 'function', name, parameters })) },
  messages: { tools: ['a', 'b'].map((name) => ({ name, input_schema: parameters })) },
  gemini: { tools: [{ functionDeclarations: ['a', 'b'].map((name) => ({ name, parameters })) }] },
}
const calling = (config: JsonObject) => ({ toolConfig: { functionCallingConfig: config } })
export const choices: { readonly [choice: string]: Bodies } = {
  none: {
    chat: { tool_choice: 'none' },
    responses: { tool_choice: 'none' },
    messages: { tool_choice: { type: 'none' } },
    gemini: calling({ mode: 'NONE' }),
  },
  any: {
    chat: { tool_choice: 'required' },
    responses: { tool_choice: 'required' },
    messages: { tool_choice: { type: 'any' } },
    gemini: calling({ mode: 'ANY' }),
  },
  'a certain one': {
    chat: { tool_choice: { type: 'function', function: { name: 'b' } } },
    responses: { tool_choice: { type: 'function', name: 'b' } },
    messages: { tool_choice: { type: 'tool', name: 'b' } },
    gemini: calling({ mode: 'ANY', allowedFunctionNames: ['b'] }),
  },
}

export const image = { mime: 'image/png', data: 'iVBORw0KGgo=' }
const dataUrl = `data:${image.mime};base64,${image.data}`
const source = { type: 'base64', media_type: image.mime, data: image.data }
const inlineData = { mimeType: image.mime, data: image.data }
/** An image of the user, and one in the result of a tool. */
export const images: { readonly [place: string]: Bodies } = {
  'of a user': {
    chat: {
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: dataUrl } }] }],
    },
    responses: {
      input: [{ role: 'user', content: [{ type: 'input_image', image_url: dataUrl }] }],
    },
    messages: { messages: [{ role: 'user', content: [{ type: 'image', source }] }] },
    gemini: { contents: [{ role: 'user', parts: [{ inlineData }] }] },
  },
  'in the result of a tool': {
    chat: {
      messages: [
        { role: 'user', content: 'Hi' },
        {
          ...{ role: 'assistant', content: null },
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'a', arguments: '{}' } }],
        },
        {
          ...{ role: 'tool', tool_call_id: 'c' },
          content: [{ type: 'image_url', image_url: { url: dataUrl } }],
        },
      ],
    },
    responses: {
      input: [
        { role: 'user', content: 'Hi' },
        { type: 'function_call', call_id: 'c', name: 'a', arguments: '{}' },
        {
          ...{ type: 'function_call_output', call_id: 'c' },
          output: [{ type: 'input_image', image_url: dataUrl }],
        },
      ],
    },
    messages: {
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'a', input: {} }] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c', content: [{ type: 'image', source }] },
          ],
        },
      ],
    },
    gemini: {
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        { role: 'model', parts: [{ functionCall: { id: 'c', name: 'a', args: {} } }] },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'c', name: 'a', response: {}, parts: [{ inlineData }] } },
          ],
        },
      ],
    },
  },
}
