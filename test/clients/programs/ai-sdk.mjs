import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, jsonSchema, streamText } from 'ai'
import { API, BASE_URL, KEY, MODEL, report, tool } from './support.mjs'

const at = (path) => ({ baseURL: BASE_URL + path, apiKey: KEY })
const model = {
  chat: () => createOpenAI(at('/v1')).chat(MODEL),
  responses: () => createOpenAI(at('/v1')).responses(MODEL),
  messages: () => createAnthropic(at('/v1'))(MODEL),
  gemini: () => createGoogleGenerativeAI(at('/v1beta'))(MODEL),
}[API]()
const settings = { model, providerOptions: { openai: { store: false } } }
const tools = tool && {
  [tool.name]: { description: tool.description, inputSchema: jsonSchema(tool.parameters) },
}
const messages = []

await report({
  user: (content) => ({ role: 'user', content }),
  result: ({ toolCallId, toolName }, value) => ({
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value } }],
  }),
  async turn(message) {
    messages.push(message)
    const answer = streamText({ ...settings, messages, tools, onError() {} })
    for await (const part of answer.fullStream) if (part.type === 'error') throw part.error
    messages.push(...(await answer.response).messages)
    const [call] = await answer.toolCalls
    const text = await answer.text
    return {
      text,
      call: call && { ...call, name: call.toolName, input: JSON.stringify(call.input) },
    }
  },
  whole: async (prompt) => (await generateText({ ...settings, prompt })).text,
})
