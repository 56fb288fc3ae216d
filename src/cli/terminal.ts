import { harmless, printable } from '../lib/table.ts'

// All output of commands besides stdout goes through here: names in it may contain control characters.

export function print(text: string, stream: NodeJS.WritableStream = process.stderr): void {
  stream.write(harmless(text))
}

/** Replaces the last line of the terminal; '' clears it. */
export function printInPlace(text: string, stream: NodeJS.WritableStream = process.stderr): void {
  stream.write(`\r\x1b[K${printable(text)}`)
}
