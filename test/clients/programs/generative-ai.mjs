import { GoogleGenerativeAI } from '@google/generative-ai'
import { BASE_URL, KEY, MODEL, report, tool } from './support.mjs'

const tools = tool && [{ functionDeclarations: [tool] }]
const client = new GoogleGenerativeAI(KEY)
const model = client.getGenerativeModel({ model: MODEL, tools }, { baseUrl: BASE_URL })
const chat = model.startChat()

await report({
  user: (text) => text,
  result: ({ name }, output) => [{ functionResponse: { name, response: { output } } }],
  async turn(message) {
    const { stream, response } = await chat.sendMessageStream(message)
    let text = ''
    for await (const chunk of stream) text += chunk.text()
    const [call] = (await response).functionCalls() ?? []
    return { text, call: call && { ...call, input: JSON.stringify(call.args) } }
  },
  whole: async (text) => (await model.generateContent(text)).response.text(),
})
