/** Bytes that are sent at once: single lines would cost a system call each. */
const chunkCharacters = 64 * 1024

interface File {
  readonly name: string
  /** Content type. */
  readonly type: string
}

/** A file that is written while it is sent: what it is made of is never in memory as a whole. */
export function download(lines: AsyncIterable<string>, { name, type }: File): Response {
  // Bun takes a generator, which is asked for more only when the client can take more.
  const body: unknown = inChunks(lines)
  return new Response(body as ConstructorParameters<typeof Response>[0], {
    headers: {
      'content-type': type,
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  })
}

async function* inChunks(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  let text = ''
  for await (const line of lines) {
    text += line
    if (text.length < chunkCharacters) continue
    yield encoder.encode(text)
    text = ''
  }
  if (text !== '') yield encoder.encode(text)
}
