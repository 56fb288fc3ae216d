import { Readable } from 'node:stream'
import { UserError } from '../instance.ts'
import type { Bytes, Row, UsageFile } from './usage-file.ts'

const delimiters = [',', ';', '\t', '|']

/** A row larger than this is none: a quote was left open. */
const maxRecordSize = 1024 * 1024

/** The delimiter that the first line has most of, outside of quotes. */
function findDelimiter(head: string): string {
  const line = head.replace(/"(?:[^"]|"")*"/g, '').split(/\r\n|\n|\r/, 1)[0] ?? ''
  const counts = delimiters.map((delimiter) => line.split(delimiter).length)
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ','
}

/** Comma-separated values by RFC 4180, also with semicolons or tabs; the first line has the names. */
export async function readCsv({ file, head, all }: Bytes): Promise<UsageFile> {
  // Loaded here: no other command needs it.
  const { parse } = await import('csv-parse')
  const delimiter = findDelimiter(head.toString('utf8'))
  const parser = parse({
    bom: true,
    delimiter,
    relax_column_count_less: true,
    skip_empty_lines: true,
    max_record_size: maxRecordSize,
  })
  const source = Readable.from(all)
  source.on('error', (error) => parser.destroy(error)) // `pipe` does not pass it on
  source.pipe(parser)
  const records = parser[Symbol.asyncIterator]() as AsyncIterator<string[]>
  const next = async () => {
    try {
      return await records.next()
    } catch (cause) {
      if (cause instanceof UserError) throw cause
      throw new UserError(`${file} is no sound CSV: ${(cause as Error).message}`, { cause })
    }
  }
  const first = await next()
  const columns: string[] = first.done ? [] : first.value.map((name) => name.trim())
  return {
    columns,
    decimalComma: delimiter === ';',
    async *rows() {
      while (true) {
        const { done, value } = await next()
        if (done) return
        yield ((column) => value[column]) satisfies Row
      }
    },
  }
}
