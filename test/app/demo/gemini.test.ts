import { afterAll, expect, test } from 'bun:test'
import { ApiError, FunctionCallingConfigMode, GoogleGenAI } from '@google/genai'
import { startDemoUpstream } from '../../../src/app/demo/upstream.ts'
import { errorOf, png, weatherSchema } from './cases.ts'

const upstream = startDemoUpstream({ paceMs: 0 })
afterAll(upstream.stop)
const client = new GoogleGenAI({
  apiKey: 'any',
  httpOptions: { baseUrl: upstream.url },
})
const model = 'demo'
const declaration = {
  name: 'get_weather',
  description: 'Weather',
  parametersJsonSchema: weatherSchema,
}
const tools = [{ functionDeclarations: [declaration] }]

test('answers the question and counts the input as countTokens does', async () => {
  const answer = await client.models.generateContent({
    model,
    contents: 'What is 12/0?',
  })
  expect(answer.text).toBe('12/0 has no result: nothing can be divided by zero.')
  expect(answer.candidates?.[0]?.finishReason as string).toBe('STOP')
  const counted = await client.models.countTokens({
    model,
    contents: 'What is 12/0?',
  })
  expect(counted.totalTokens).toBe(answer.usageMetadata?.promptTokenCount)
})

test('streams the same text in parts', async () => {
  const contents = 'count to 40'
  const plain = await client.models.generateContent({ model, contents })
  const chunks = await Array.fromAsync(
    await client.models.generateContentStream({ model, contents }),
  )
  expect(chunks.length).toBeGreaterThan(5)
  expect(chunks.map((chunk) => chunk.text).join('')).toBe(plain.text ?? 'nothing')
  expect(chunks.at(-1)?.usageMetadata).toEqual(plain.usageMetadata)
})

test('streams one JSON array when SSE is not asked for', async () => {
  const response = await fetch(`${upstream.url}/v1beta/models/demo:streamGenerateContent`, {
    method: 'POST',
    headers: { 'x-goog-api-key': 'any' },
    body: JSON.stringify({
      contents: [{ parts: [{ text: 'count to 20' }] }],
    }),
  })
  const chunks = (await response.json()) as {
    candidates: { content: { parts: { text: string }[] } }[]
  }[]
  expect(chunks.length).toBeGreaterThan(2)
  const said = chunks.map((chunk) => chunk.candidates[0]?.content.parts[0]?.text).join('')
  expect(said.endsWith('19, 20')).toBeTrue()
})

test('calls a tool with a signature and uses its result', async () => {
  const question = {
    role: 'user',
    parts: [{ text: 'What is the weather in Quito?' }],
  }
  const asked = await client.models.generateContent({
    model,
    contents: [question],
    config: { tools },
  })
  const call = asked.functionCalls?.[0]
  expect(call?.args).toEqual({ city: 'Quito', unit: 'celsius' })
  const content = asked.candidates?.[0]?.content
  expect(content?.parts?.[0]?.thoughtSignature).toBeString()
  const result = {
    functionResponse: { name: 'get_weather', response: { sky: 'clear' } },
  }
  const final = await client.models.generateContent({
    model,
    contents: [question, content ?? {}, { role: 'user', parts: [result] }],
    config: { tools },
  })
  expect(final.text).toBe('The tool says: {"sky":"clear"}')
})

test('calls a forced tool whatever the question', async () => {
  const functionCallingConfig = { mode: FunctionCallingConfigMode.ANY }
  const answer = await client.models.generateContent({
    model,
    contents: 'hello',
    config: { tools, toolConfig: { functionCallingConfig } },
  })
  expect(answer.functionCalls).toHaveLength(1)
})

test('says which image it received, answers in a schema, stops at the limit', async () => {
  const inlineData = { mimeType: 'image/png', data: png.toString('base64') }
  const seen = await client.models.generateContent({
    model,
    contents: [{ inlineData }],
  })
  expect(seen.text).toContain(`image/png, ${png.length} bytes`)

  const shaped = await client.models.generateContent({
    model,
    contents: 'in Hanoi',
    config: {
      responseMimeType: 'application/json',
      responseJsonSchema: weatherSchema,
    },
  })
  expect(JSON.parse(shaped.text ?? '')).toEqual({
    city: 'Hanoi',
    unit: 'celsius',
  })

  const short = await client.models.generateContent({
    model,
    contents: 'count to 99',
    config: { maxOutputTokens: 4 },
  })
  expect(short.candidates?.[0]?.finishReason as string).toBe('MAX_TOKENS')
  expect(short.usageMetadata?.candidatesTokenCount).toBe(4)
})

test('embeds texts', async () => {
  const made = await client.models.embedContent({
    model,
    contents: ['one', 'two'],
    config: { outputDimensionality: 16 },
  })
  expect(made.embeddings?.map((one) => one.values?.length)).toEqual([16, 16])
})

test('fails on request with the error that the SDK knows', async () => {
  const error = await errorOf(
    client.models.generateContent({
      model: 'error-400',
      contents: 'hello',
    }),
  )
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toHaveProperty('status', 400)
})
