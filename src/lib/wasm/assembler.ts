/**
 * A minimal WebAssembly assembler: a function as nested expressions. Opcodes: "WebAssembly Core Specification"
 * 2.0, chapter 5, "Binary Format".
 */
export type Code = readonly number[]

const types = { i32: 0x7f, i64: 0x7e, v128: 0x7b } as const
type ValueType = keyof typeof types

export interface Local {
  readonly index: number
  readonly type: ValueType
}

const emptyBlock = 0x40

export const get = ({ index }: Local): Code => [0x20, index]
export const set = ({ index }: Local, value: Code): Code => [...value, 0x21, index]
export const getGlobal = (index: number): Code => [0x23, index]
export const setGlobal = (index: number, value: Code): Code => [...value, 0x24, index]

export const when = (test: Code, ...then: readonly Code[]): Code => [
  ...test,
  ...[0x04, emptyBlock],
  ...then.flat(),
  0x0b,
]
export const repeatWhile = (test: Code, ...body: readonly Code[]): Code => [
  ...[0x03, emptyBlock],
  ...body.flat(),
  ...test,
  ...[0x0d, 0, 0x0b],
]

const op =
  (...numbers: readonly number[]) =>
  (...operands: readonly Code[]): Code => [...operands.flat(), ...numbers]

export const i32 = {
  of: (value: number): Code => [0x41, ...signed(BigInt(value))],
  add: op(0x6a),
  sub: op(0x6b),
  or: op(0x72),
  isLess: op(0x48),
  shiftRight: op(0x76),
  low: op(0xa7),
  /** `i32.store`, at a multiple of four. */
  store: op(0x36, 2, 0),
}

export const i64 = {
  of: (value: bigint): Code => [0x42, ...signed(value)],
  and: op(0x83),
  or: op(0x84),
  xor: op(0x85),
  not: (value: Code): Code => i64.xor(value, i64.of(-1n)),
  sub: op(0x7d),
  shiftLeft: (value: Code, by: number): Code => op(0x86)(value, i64.of(BigInt(by))),
  shiftRightSigned: (value: Code, by: number): Code => op(0x87)(value, i64.of(BigInt(by))),
  shiftRight: (value: Code, by: number): Code => op(0x88)(value, i64.of(BigInt(by))),
  trailingZeros: op(0x7a),
  isSet: (value: Code): Code => [...value, 0x50, 0x45],
  ofUnsigned: op(0xad),
}

const simd = (number: number, ...rest: readonly number[]) => op(0xfd, ...unsigned(number), ...rest)

export const v128 = {
  load: (at: Code, offset: number): Code => simd(0x00, 4, ...unsigned(offset))(at),
  of: (bytes: Code): Code => simd(0x0c, ...bytes)(),
  all: (byte: number): Code => simd(0x0f)(i32.of(byte)),
  isEqual: simd(0x23),
  isOther: simd(0x24),
  isBelow: simd(0x26),
  and: simd(0x4e),
  or: simd(0x50),
  any: simd(0x53),
  bits: simd(0x64),
  /** Swizzle: each byte of the second operand indexes the first. */
  pick: simd(0x0e),
  shiftRight: (value: Code, by: number): Code => simd(0x6d)(value, i32.of(by)),
}

/** A module with one function `run(i32): i32`, `memory`, and 64-bit globals of these names. */
export function assemble(parts: {
  readonly locals: readonly Local[]
  readonly globals: readonly string[]
  readonly memoryPages: number
  readonly body: readonly Code[]
}): Uint8Array<ArrayBuffer> {
  const { locals, globals, memoryPages, body } = parts
  const { i32: whole, i64: long } = types
  const code = [...vector(locals.map(({ type }) => [1, types[type]])), ...body.flat(), 0x0b]
  const exported = (name: string, kind: number, index: number): Code => [
    ...vector(Array.from(Buffer.from(name), (byte) => [byte])),
    ...[kind, index],
  ]
  return new Uint8Array([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [[0x60, 1, whole, 1, whole]]),
    ...section(3, [[0]]),
    ...section(5, [[0, memoryPages]]),
    ...section(
      6,
      globals.map(() => [long, 1, ...i64.of(0n), 0x0b]),
    ),
    ...section(7, [
      exported('run', 0, 0),
      exported('memory', 2, 0),
      ...globals.map((name, index) => exported(name, 3, index)),
    ]),
    ...section(10, [[...unsigned(code.length), ...code]]),
  ])
}

function section(number: number, entries: readonly Code[]): Code {
  const content = vector(entries)
  return [number, ...unsigned(content.length), ...content]
}

const vector = (entries: readonly Code[]): Code => [...unsigned(entries.length), ...entries.flat()]

function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]
}

function signed(value: bigint): Code {
  const low = Number(value & 0x7fn)
  const rest = value >> 7n
  const isLast = rest === ((low & 0x40) === 0 ? 0n : -1n)
  return isLast ? [low] : [low | 0x80, ...signed(rest)]
}
