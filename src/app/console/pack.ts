import { gunzipSync } from 'node:zlib'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Coding } from '../../lib/accepted-coding.ts'
import type { ConsoleBundle } from './bundle.ts'

/**
 * The built console in one file, each of its files compressed both ways: `compile.sh` puts it into the
 * program, which then compresses nothing. First the length of the head in 4 bytes, the head, the bytes.
 */
const Place = Type.Tuple([Type.Integer(), Type.Integer()])
const Head = Type.Object({
  inside: Type.String(),
  outside: Type.String(),
  files: Type.Array(
    Type.Object({ name: Type.String(), contentType: Type.String(), br: Place, gzip: Place }),
  ),
})
type Head = Static<typeof Head>

const lengthBytes = 4

/** The bundle as one file: the same bytes for the same files. */
export async function packBundle({ inside, outside, files }: ConsoleBundle): Promise<Blob> {
  const bodies: Uint8Array<ArrayBuffer>[] = []
  let end = 0
  const put = (bytes: Uint8Array<ArrayBuffer>): Static<typeof Place> => {
    bodies.push(bytes)
    end += bytes.length
    return [end - bytes.length, end]
  }
  const placed: Head['files'] = []
  // The bundler puts styles now in this order, now in that.
  const sorted = [...files.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  for (const { name, contentType, bytes } of sorted) {
    const [br, gzip] = await Promise.all([bytes('br'), bytes('gzip')])
    placed.push({ name, contentType, br: put(br), gzip: put(gzip) })
  }
  const head: Head = { inside, outside, files: placed }
  const headBytes = new TextEncoder().encode(JSON.stringify(head))
  const length = new Uint8Array(lengthBytes)
  new DataView(length.buffer).setUint32(0, headBytes.length)
  return new Blob([length, headBytes, ...bodies])
}

/** The bundle of such a file, which is read piece by piece. Throws when it is none. */
export async function unpackBundle(pack: Blob): Promise<ConsoleBundle> {
  const length = new DataView(await pack.slice(0, lengthBytes).arrayBuffer()).getUint32(0)
  const start = lengthBytes + length
  const head = Value.Parse(Head, JSON.parse(await pack.slice(lengthBytes, start).text()))
  const read = async ([from, to]: Static<typeof Place>) =>
    new Uint8Array(await pack.slice(start + from, start + to).arrayBuffer())
  const files = head.files.map(({ name, contentType, ...places }) => ({
    ...{ name, contentType },
    bytes: async (coding?: Coding) =>
      coding === undefined
        ? new Uint8Array(gunzipSync(await read(places.gzip)))
        : read(places[coding]),
  }))
  const { inside, outside } = head
  return { inside, outside, files: new Map(files.map((file) => [file.name, file])) }
}
