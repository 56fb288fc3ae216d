import Anthropic from '@anthropic-ai/sdk'
import { BASE_URL, KEY, MODEL, report, tool } from './support.mjs'

const client = new Anthropic({ baseURL: BASE_URL, apiKey: KEY })
const messages = []
const asked = { model: MODEL, max_tokens: 1000 }
const textOf = ({ content }) => content.map((block) => block.text ?? '').join('')

await report({
  user: (content) => ({ role: 'user', content }),
  result: (call, content) => ({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: call.id, content }],
  }),
  async turn(message) {
    messages.push(message)
    const { parameters: input_schema, ...rest } = tool ?? {}
    const tools = tool && [{ ...rest, input_schema }]
    const answer = await client.messages.stream({ ...asked, messages, tools }).finalMessage()
    messages.push({ role: 'assistant', content: answer.content })
    const call = answer.content.find(({ type }) => type === 'tool_use')
    const { id, name, input } = call ?? {}
    return { text: textOf(answer), call: call && { id, name, input: JSON.stringify(input) } }
  },
  whole: async (content) =>
    textOf(await client.messages.create({ ...asked, messages: [{ role: 'user', content }] })),
})
