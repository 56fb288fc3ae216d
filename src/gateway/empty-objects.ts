const emptyObject = Buffer.from('{}')

/**
 * Whether an empty object is an item of some list in this JSON. Most bodies have none, and need not be parsed for
 * those that say nothing; one in a text is found, too.
 */
export function hasEmptyItems(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(emptyObject); at !== -1; at = bytes.indexOf(emptyObject, at + 2)) {
    let before = at - 1
    while (isSpace(bytes[before])) before--
    if (bytes[before] === comma || bytes[before] === openArray) return true
  }
  return false
}

const isSpace = (byte: number | undefined) => byte !== undefined && byte <= 0x20
const comma = 0x2c
const openArray = 0x5b
