import { harmless, printable } from '../lib/table.ts'

// All that a command writes beside its output goes through here: names in it come from people, and must
// not steer the terminal of whoever reads them.

/** Writes a text to stderr. */
export function tell(text: string, stream: NodeJS.WritableStream = process.stderr): void {
  stream.write(harmless(text))
}

/** Writes in place of the line that the terminal shows last; '' clears it. */
export function tellInPlace(text: string, stream: NodeJS.WritableStream = process.stderr): void {
  stream.write(`\r\x1b[K${printable(text)}`)
}
