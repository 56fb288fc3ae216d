/**
 * Places in a text, counted in UTF-16 units here and in bytes of UTF-8 by this vendor. Each of these
 * maps a set of offsets in one pass; what is beyond the text, or inside of a character, is its next
 * place.
 */
export function fromBytes(text: string, offsets: readonly number[]): ReadonlyMap<number, number> {
  return mapOffsets(text, offsets, (_, bytes) => bytes)
}

/** UTF-16 offsets as offsets in bytes. */
export function toBytes(text: string, offsets: readonly number[]): ReadonlyMap<number, number> {
  return mapOffsets(
    text,
    offsets,
    (units) => units,
    (_, bytes) => bytes,
  )
}

type Measure = (units: number, bytes: number) => number

function mapOffsets(
  text: string,
  offsets: readonly number[],
  from: Measure,
  to: Measure = (units) => units,
): ReadonlyMap<number, number> {
  const wanted = [...new Set(offsets)].sort((a, b) => a - b)
  const mapped = new Map<number, number>()
  let next = 0
  let units = 0
  let bytes = 0
  const take = () => {
    for (let offset = wanted[next]; offset !== undefined; offset = wanted[next]) {
      if (from(units, bytes) < offset && units < text.length) return
      mapped.set(offset, to(units, bytes))
      next++
    }
  }
  take()
  while (next < wanted.length) {
    const code = text.codePointAt(units) ?? 0
    units += code > 0xffff ? 2 : 1
    bytes += code > 0xffff ? 4 : code > 0x7ff ? 3 : code > 0x7f ? 2 : 1
    take()
  }
  return mapped
}
