/** The head of a message, as it came by its connection; undefined: it is not whole yet. */
export function readHead(bytes: Buffer) {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const headers = new Headers()
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  return { first, headers, size: end + 4 }
}

/** A body in chunks from `start` on, and where it ends; undefined: it is not whole yet. */
export function takeChunks(bytes: Buffer, start: number) {
  const parts: Buffer[] = []
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16)
    const end = lineEnd + 2 + size + 2
    if (bytes.length < end) return undefined
    if (size === 0) return { body: Buffer.concat(parts), end }
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = end
  }
}
