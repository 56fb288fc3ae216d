import OpenAI from 'openai'
import { API, BASE_URL, KEY, MODEL, report, tool } from './support.mjs'

const client = new OpenAI({ baseURL: `${BASE_URL}/v1`, apiKey: KEY })
const history = []

const chat = {
  user: (content) => ({ role: 'user', content }),
  result: (call, content) => ({ role: 'tool', tool_call_id: call.id, content }),
  async turn(message) {
    history.push(message)
    const tools = tool && [{ type: 'function', function: tool }]
    const stream = client.chat.completions.stream({ model: MODEL, messages: history, tools })
    const answer = await stream.finalMessage()
    history.push(answer)
    const [call] = answer.tool_calls ?? []
    const { name, arguments: input } = call?.function ?? {}
    return { text: answer.content, call: call && { id: call.id, name, input } }
  },
  async whole(content) {
    const messages = [{ role: 'user', content }]
    const answer = await client.chat.completions.create({ model: MODEL, messages })
    return answer.choices[0].message.content
  },
}

const responses = {
  user: chat.user,
  result: (call, output) => ({ type: 'function_call_output', call_id: call.id, output }),
  async turn(item) {
    history.push(item)
    const tools = tool && [{ type: 'function', strict: false, ...tool }]
    const asked = { model: MODEL, input: history, tools, store: false }
    const answer = await client.responses.stream(asked).finalResponse()
    history.push(...answer.output)
    const call = answer.output.find(({ type }) => type === 'function_call')
    const { call_id: id, name, arguments: input } = call ?? {}
    return { text: answer.output_text, call: call && { id, name, input } }
  },
  async whole(input) {
    return (await client.responses.create({ model: MODEL, input, store: false })).output_text
  },
}

await report({ chat, responses }[API])
