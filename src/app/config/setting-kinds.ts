import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { formatDurationMs, formatSizeBytes, parseSizeBytes } from '../../lib/format.ts'
import { plain } from '../../resources/field.ts'
import { flag, optional, text, words } from '../../resources/schema-parts.ts'
import { parseWait, sure, type ValueKind } from '../../resources/values.ts'

/** Kinds of settings: how each is written in the file, and what it is in the program. */

interface AnySetting {
  readonly as: string
  readonly file: TSchema
  fromFile(written: unknown): unknown
  toFile(value: unknown): unknown
  /** The value that `tollgate init` shows for a setting without a default. */
  readonly example?: string
}
export type Settings = Readonly<Record<string, AnySetting>>

/** On or off. */
export const switchOf = <const As extends string>(as: As, usual: boolean, help: string) => ({
  ...plain<boolean>(),
  ...{ as, file: flag(help), fromFile: (written = usual) => written },
})

/** A whole number from 1 to `most`. */
export const countOf = <const As extends string>(
  as: As,
  usual: number,
  most: number,
  help: string,
) => ({
  ...plain<number>(),
  as,
  file: optional(Type.Integer({ minimum: 1, maximum: most, description: help })),
  fromFile: (written = usual) => written,
})

/** A time, in milliseconds; `0s` is none. */
export const spanOf = <const As extends string>(
  as: As,
  usual: string,
  help: string,
  reads: ValueKind = 'duration',
) => ({
  ...plain<number>(),
  ...{ as, file: optional(text(reads, help)) },
  fromFile: (written = usual): number => sure(parseWait(written)),
  toFile: (ms: number) => (ms === 0 ? '0s' : formatDurationMs(ms)),
})

/** One of some words; the usual one first. */
export const wordOf = <const As extends string, const Word extends string>(
  as: As,
  usual: Word,
  others: readonly Word[],
  help: string,
) => ({
  ...plain<Word>(),
  ...{ as, file: optional(words([usual, ...others], help)) },
  fromFile: (written: Word = usual): Word => written,
})

/** A name, or another single line. */
export const nameOf = <const As extends string>(as: As, usual: string, help: string) => ({
  ...plain<string>(),
  ...{ as, file: optional(text('name', help)), fromFile: (written = usual) => written },
})

/** A text that is null where the file leaves it out. */
export const textOf = <const As extends string>(
  as: As,
  reads: ValueKind,
  example: string,
  help: string,
) => ({
  ...plain<string | null>(),
  ...{ as, example, file: optional(text(reads, help)) },
  fromFile: (written: string | null = null) => written,
})

/** A size, in bytes. */
export const sizeOf = <const As extends string>(as: As, usual: string, help: string) => ({
  ...plain<number>(),
  ...{ as, file: optional(text('size', help)) },
  fromFile: (written = usual): number => sure(parseSizeBytes(written)),
  toFile: formatSizeBytes,
})

/** A value that is null where the file leaves it out. */
export const openOf = <const As extends string, Schema extends TSchema, Value>(
  as: As,
  example: string,
  file: Schema,
  read: (written: Static<Schema>) => Value,
) => ({
  ...plain<Value | null>(),
  ...{ as, example, file: optional(file) },
  fromFile: (written?: Static<Schema>): Value | null =>
    written === undefined ? null : read(written),
})

/** A limit that is null where the file leaves it out. */
export const limitOf = <const As extends string>(as: As, example: string, description: string) =>
  openOf(
    as,
    example,
    Type.Integer({ minimum: 1, maximum: 10_000_000, description }),
    (count) => count,
  )
