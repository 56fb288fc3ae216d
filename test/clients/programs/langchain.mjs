import { ChatAnthropic } from '@langchain/anthropic'
import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { ChatGoogleGenerativeAI } from '@langchain/google-genai'
import { ChatOpenAI } from '@langchain/openai'
import { API, BASE_URL, KEY, MODEL, report, tool } from './support.mjs'

const asked = { model: MODEL, apiKey: KEY }
const openai = { ...asked, configuration: { baseURL: `${BASE_URL}/v1` } }
const model = {
  chat: () => new ChatOpenAI(openai),
  responses: () => new ChatOpenAI({ ...openai, useResponsesApi: true, zdrEnabled: true }),
  messages: () => new ChatAnthropic({ ...asked, anthropicApiUrl: BASE_URL }),
  gemini: () => new ChatGoogleGenerativeAI({ ...asked, baseUrl: BASE_URL }),
}[API]()
const bound = tool ? model.bindTools([{ type: 'function', function: tool }]) : model
const messages = []

await report({
  user: (text) => new HumanMessage(text),
  result: ({ id, name }, content) => new ToolMessage({ content, tool_call_id: id, name }),
  async turn(message) {
    messages.push(message)
    let answer
    for await (const chunk of await bound.stream(messages)) answer = answer?.concat(chunk) ?? chunk
    messages.push(answer)
    const [call] = answer.tool_calls ?? []
    return { text: answer.text, call: call && { ...call, input: JSON.stringify(call.args) } }
  },
  whole: async (text) => (await model.invoke(text)).text,
})
