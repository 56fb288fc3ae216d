import { isJsonObject } from '../../src/protocols/json.ts'

/** So often a case is tried again while it is made smaller. */
const maxTries = 1_500

/**
 * A smaller value of the same kind that still fails: members and items are left out, and texts
 * shortened, for as long as it does. The value itself stays as it is.
 */
export async function shrink<Value>(
  value: Value,
  fails: (smaller: Value) => Promise<boolean>,
): Promise<Value> {
  let best = value
  let tries = 0
  for (let found = true; found && tries < maxTries; ) {
    found = false
    for (const smaller of smallerOnes(best)) {
      if (++tries > maxTries) break
      // What is smaller than a value has its shape, as far as a check can tell.
      if (!(await fails(smaller as Value))) continue
      best = smaller as Value
      found = true
      break
    }
  }
  return best
}

/** Values that are smaller by one step, the greatest steps first. */
function* smallerOnes(value: unknown): Generator<unknown> {
  if (typeof value === 'string') yield* shorterTexts(value)
  else if (Array.isArray(value)) {
    for (let length = value.length >> 1; length >= 1; length >>= 1) {
      for (let at = 0; at + length <= value.length; at += length) yield value.toSpliced(at, length)
    }
    for (const [at, item] of value.entries()) {
      for (const smaller of smallerOnes(item)) yield value.with(at, smaller)
    }
  } else if (isJsonObject(value) && !JSON.isRawJSON(value)) {
    const entries = Object.entries(value)
    for (const key of Object.keys(value)) {
      yield Object.fromEntries(entries.filter(([name]) => name !== key))
    }
    for (const [key, member] of entries) {
      for (const smaller of smallerOnes(member)) {
        yield Object.fromEntries(entries.map(([name, was]) => [name, name === key ? smaller : was]))
      }
    }
  }
}

function* shorterTexts(text: string): Generator<string> {
  if (text.length < 9) return
  const half = text.length >> 1
  for (const shorter of [text.slice(0, half), text.slice(half), text.slice(0, 8)]) {
    if (shorter.isWellFormed()) yield shorter
  }
}
