/** The path that all clients here ask on. */
export const chatPath = '/v1/chat/completions'

const model = 'test-model'
const question = 'Tell me something in a few words, please.'

/** What is asked, as text. */
export const requests = {
  small: JSON.stringify({
    model,
    max_completion_tokens: 100,
    messages: [{ role: 'user', content: question }],
  }),
  stream: JSON.stringify({
    model,
    max_completion_tokens: 400,
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: 'user', content: question }],
  }),
  /** About 400 KB, most of it text of many turns. */
  long: JSON.stringify({
    model,
    max_completion_tokens: 100,
    messages: Array.from({ length: 200 }, (_, at) => ({
      role: at % 2 ? 'assistant' : 'user',
      content: `Turn ${at} said "something", on\ntwo lines. `.repeat(50).slice(0, 1_930),
    })),
  }),
  /** About 4 MB: four images in base64. */
  images: JSON.stringify({
    model,
    max_completion_tokens: 100,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: question },
          ...Array.from({ length: 4 }, (_, at) => ({
            type: 'image_url',
            image_url: { url: `data:image/png;base64,${pixels(at)}` },
          })),
        ],
      },
    ],
  }),
} as const
export type RequestName = keyof typeof requests

function pixels(seed: number): string {
  const bytes = new Uint8Array(750_000)
  let state = seed + 1
  for (let at = 0; at < bytes.length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    bytes[at] = state >> 16
  }
  return Buffer.from(bytes).toString('base64')
}
