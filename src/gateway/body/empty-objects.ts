const emptyObject = Buffer.from('{}')

/** A body that is full of them is parsed, beside: to look at each here would keep all others waiting. */
const mostLooked = 10_000

/**
 * Whether an empty object may be an item of some list in this JSON. Most bodies have none, and need not be parsed
 * for those that say nothing; one in a text is found, too.
 */
export function hasEmptyItems(bytes: Buffer): boolean {
  let looked = 0
  for (let at = bytes.indexOf(emptyObject); at !== -1; at = bytes.indexOf(emptyObject, at + 2)) {
    if (++looked > mostLooked) return true
    let before = at - 1
    while (isSpace(bytes[before])) before--
    if (bytes[before] === comma || bytes[before] === openArray) return true
  }
  return false
}

const isSpace = (byte: number | undefined) => byte !== undefined && byte <= 0x20
const comma = 0x2c
const openArray = 0x5b
