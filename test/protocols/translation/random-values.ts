import type { Seeded } from './seeded.ts'

const words = [
  'Hello',
  'a "quoted" word',
  'back\\slash',
  'line\nbreak\r\n',
  '你好',
  'Grüße',
  '👩‍👩‍👧',
  '<system>',
  '{"a":1}',
  ' ',
  'data: x\n\n',
  '\u2028\u0000',
  '0',
]

/** Something that a person or a model says, which is never nothing. */
export function randomText({ pick, below }: Seeded): string {
  let text = pick(words)
  for (let more = below(4); more > 0; more--) text += pick(words)
  return text
}

/** A value of JSON whose numbers every reader keeps. */
export function randomJson(seeded: Seeded, depth = 0): unknown {
  const { below, once, pick } = seeded
  const isPlain = depth > 2 || once(2)
  if (isPlain) {
    return pick([randomText(seeded), below(1e9), -0.25, true, false, null, ''])
  }
  const count = below(4)
  if (once(2)) return Array.from({ length: count }, () => randomJson(seeded, depth + 1))
  return randomObject(seeded, depth)
}

/** An object of JSON, empty at times. */
export function randomObject(seeded: Seeded, depth = 0): { [name: string]: unknown } {
  const count = seeded.below(4)
  const entries = Array.from({ length: count }, (_, at) => {
    return [`${randomText(seeded)}${at}`, randomJson(seeded, depth + 1)]
  })
  return Object.fromEntries(entries)
}

/** What a model writes as the arguments of a call: mostly an object, in its own layout. */
export function randomInput(seeded: Seeded): string {
  const { once, pick } = seeded
  if (once(12)) return pick(['', '[1]', 'not json', '{"cut":'])
  return JSON.stringify(randomObject(seeded), null, once(3) ? 2 : undefined)
}
