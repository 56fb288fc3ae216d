const space = 0x20
const openBracket = 0x5b
const closing = Uint8Array.of(0x5d)

/**
 * A streamed JSON array whose bracket a heartbeat may have sent before its first element: the array's own is
 * left out then. What is no array, but an error, becomes its only element. `isOpen`: it was sent already.
 */
export async function* withoutSecondBracket(
  stream: AsyncIterable<Uint8Array>,
  isOpen: boolean,
): AsyncGenerator<Uint8Array> {
  let brackets = isOpen ? 1 : 0
  let hasElement = false
  let lacksEnd = false
  for await (const chunk of stream) {
    let bytes = chunk
    if (!hasElement) {
      const at = chunk.findIndex((byte) => byte > space)
      if (chunk[at] === openBracket) {
        if (brackets > 0) bytes = chunk.subarray(at + 1)
        brackets++
        hasElement = chunk.subarray(at + 1).some((byte) => byte > space)
      } else if (at !== -1) {
        hasElement = true
        lacksEnd = isOpen && brackets === 1
      }
    }
    if (bytes.byteLength > 0) yield bytes
  }
  if (lacksEnd) yield closing
}
