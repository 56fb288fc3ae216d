import { conversationOf } from '../../src/gateway/channels/conversation.ts'
import { channelOf, createScene, optionOf } from '../gateway/channels/choosing-scene.ts'

/**
 * What choosing a channel costs each request: with 1, 3 and 50 channels that are all well, from the
 * question to the end of the answer. Processor time, so that others at work here count for little.
 *
 *   bun test/bench/choosing.ts [requests of a round]
 */
const [count = 200_000] = process.argv.slice(2).map(Number)
const rounds = 5

function measure(name: string, request: () => void): void {
  for (let i = 0; i < count / 4; i++) request() // warm
  const found = Array.from({ length: rounds }, () => {
    const before = process.cpuUsage()
    for (let i = 0; i < count; i++) request()
    const { user, system } = process.cpuUsage(before)
    return ((user + system) * 1000) / count
  })
  const sorted = found.toSorted((a, b) => a - b)
  console.log(`${name}: ${sorted[Math.floor(rounds / 2)]?.toFixed(0)} ns a request`)
}

const conversation = conversationOf('chat', { model: 'm', prompt_cache_key: 'session' }, undefined)

for (const size of [1, 3, 50]) {
  const { asking } = createScene()
  const options = Array.from({ length: size }, (_, i) => optionOf(channelOf(i + 1)))
  const request = (told: typeof conversation) => () => {
    const chooser = asking(options, { conversation: told })
    const choice = chooser.next()
    chooser.hasOthers()
    choice?.succeeded(20)
    choice?.ended(12)
  }
  measure(`${size} channels`, request(undefined))
  if (size > 1) measure(`${size} channels, a conversation`, request(conversation))
}

const body = {
  model: 'm',
  messages: [
    { role: 'system', content: 'Be brief. '.repeat(2_000) },
    ...Array.from({ length: 200 }, (_, i) => ({
      role: i % 2 ? 'assistant' : 'user',
      content: `Turn ${i} of a long conversation. `.repeat(50),
    })),
  ],
}
measure('a conversation without a hint', () => {
  conversationOf('chat', body, undefined)
})
