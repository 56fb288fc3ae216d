import { GoogleGenAI } from '@google/genai'
import { BASE_URL, KEY, MODEL, report, tool } from './support.mjs'

const client = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: BASE_URL } })
const config = { tools: tool && [{ functionDeclarations: [tool] }] }
const chat = client.chats.create({ model: MODEL, config })

await report({
  user: (message) => message,
  result: ({ id, name }, output) => [{ functionResponse: { id, name, response: { output } } }],
  async turn(message) {
    let text = ''
    let call
    for await (const chunk of await chat.sendMessageStream({ message })) {
      text += chunk.text ?? ''
      call ??= chunk.functionCalls?.[0]
    }
    return { text, call: call && { ...call, input: JSON.stringify(call.args) } }
  },
  whole: async (contents) => (await client.models.generateContent({ model: MODEL, contents })).text,
})
