import { relative } from 'node:path'
import { Glob } from 'bun'

// bun run size: how large the source is, by room.

const root = `${import.meta.dir}/../..`
const sources = new Glob('src/**/*.{ts,tsx,css,sql,html}')

interface Room {
  readonly lengths: number[]
  characters: number
}

const rooms = new Map<string, Room>()
for await (const path of sources.scan(root)) {
  const text = await Bun.file(`${root}/${path}`).text()
  const room = relative('src', path).split('/')[0] ?? ''
  for (const name of [room.includes('.') ? '(top)' : room, 'all']) {
    const found = rooms.get(name) ?? { lengths: [], characters: 0 }
    found.lengths.push(text.split('\n').length - 1)
    found.characters += text.length
    rooms.set(name, found)
  }
}

const part = (lengths: readonly number[], of: number) =>
  lengths[Math.floor(lengths.length * of)] ?? 0
const row = (cells: readonly (string | number)[]) =>
  cells.map((cell, at) => (at === 0 ? String(cell).padEnd(12) : String(cell).padStart(9))).join('')

console.log(row(['room', 'files', 'lines', 'median', 'p95', '≤ 30', 'per line']))
for (const [name, { lengths, characters }] of [...rooms].sort(
  ([, a], [, b]) => a.characters - b.characters,
)) {
  lengths.sort((a, b) => a - b)
  const lines = lengths.reduce((sum, length) => sum + length, 0)
  const small = lengths.filter((length) => length <= 30).length
  const width = (characters / lines).toFixed(1)
  console.log(
    row([name, lengths.length, lines, part(lengths, 0.5), part(lengths, 0.95), small, width]),
  )
}
