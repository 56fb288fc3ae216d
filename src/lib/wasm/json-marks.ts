import {
  assemble,
  type Code,
  get,
  getGlobal,
  i32,
  i64,
  type Local,
  repeatWhile,
  set,
  setGlobal,
  v128,
  when,
} from './assembler.ts'

/**
 * Finds the marks of a JSON text, its unescaped quotes and each `u` after a backslash, 64 bytes at a time (G.
 * Langdale and D. Lemire, "Parsing Gigabytes of JSON per Second", section 3.1), and validates what lies between.
 */
export interface MarkScanner {
  begin(): void
  /** Positions of the marks of the next part of at most `partBytes`, valid until the next call. */
  scan(part: Uint8Array): Int32Array
  /** The text so far is valid and ends outside a string. */
  isSound(): boolean
}

/** Bytes per scan; only a text's last part may be shorter. */
export const partBytes = 65_536

const blockBytes = 64
const pageBytes = 65_536

const ends: Local = { index: 0, type: 'i32' }
const at: Local = { index: 1, type: 'i32' }
const out: Local = { index: 2, type: 'i32' }
/** A bit for each byte of the block: */
const [backslashes, quotes, controls, escaped, inString, wrong, units, found] = [
  3, 4, 5, 6, 7, 8, 9, 10,
].map((index): Local => ({ index, type: 'i64' })) as unknown as readonly [
  ...[Local, Local, Local, Local],
  ...[Local, Local, Local, Local],
]
const quarters = [11, 12, 13, 14].map((index): Local => ({ index, type: 'v128' }))
const locals = [
  at,
  out,
  ...[backslashes, quotes, controls, escaped, inString, wrong, units, found],
  ...quarters,
]

/** State between parts: the first byte is escaped, it is in a string (all bits), a fault. */
const [wasEscaped, wasInString, faults] = [0, 1, 2]

const is = (character: string) => (bytes: Code) =>
  v128.isEqual(bytes, v128.all(character.charCodeAt(0)))
const isControl = (bytes: Code) => v128.isBelow(bytes, v128.all(0x20))

const bitsOf = (test: (bytes: Code) => Code): Code =>
  quarters
    .map((quarter, index) =>
      i64.shiftLeft(i64.ofUnsigned(v128.bits(test(get(quarter)))), 16 * index),
    )
    .reduce((all, quarter) => i64.or(all, quarter))

const hasAny: Code = v128.any(
  quarters
    .map((quarter) => {
      const bytes = get(quarter)
      return v128.or(v128.or(is('"')(bytes), is('\\')(bytes)), isControl(bytes))
    })
    .reduce((all, quarter) => v128.or(all, quarter)),
)

/**
 * Valid escapes, `u` aside: `"` 22, `/` 2f, `\` 5c, `b` 62, `f` 66, `n` 6e, `r` 72, `t` 74. Each half of a byte
 * maps to the bits of its possible first halves; a valid one has a bit in common.
 */
const byFirstHalf = [0, 0, 1, 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0]
const bySecondHalf = [0, 0, 1 + 4 + 8, 0, 8, 0, 4, 0, 0, 0, 0, 0, 2, 0, 4, 1]
const isEscape = (bytes: Code): Code => {
  const first = v128.pick(v128.of(byFirstHalf), v128.shiftRight(bytes, 4))
  const second = v128.pick(v128.of(bySecondHalf), v128.and(bytes, v128.all(0x0f)))
  return v128.isOther(v128.and(first, second), v128.all(0))
}

const oddBits = i64.of(BigInt.asIntN(64, 0xaaaa_aaaa_aaaa_aaaan))

/**
 * Escaped bytes: of a run of backslashes every other one escapes its successor. Addition carries to the run's end,
 * which is odd or even by the run's start and length.
 */
const findEscaped: readonly Code[] = [
  set(found, i64.and(get(backslashes), i64.not(getGlobal(wasEscaped)))),
  set(found, i64.xor(i64.sub(i64.or(i64.shiftLeft(get(found), 1), oddBits), get(found)), oddBits)),
  set(escaped, i64.xor(get(found), i64.or(get(backslashes), getGlobal(wasEscaped)))),
  setGlobal(wasEscaped, i64.shiftRight(i64.and(get(found), get(backslashes)), 63)),
  set(quotes, i64.and(get(quotes), i64.not(get(escaped)))),
  set(wrong, i64.and(get(escaped), i64.not(bitsOf(isEscape)))),
  when(
    i64.isSet(get(wrong)),
    set(units, i64.and(bitsOf(is('u')), get(wrong))),
    setGlobal(faults, i64.or(getGlobal(faults), i64.xor(get(wrong), get(units)))),
  ),
]

/** A bit is set where an odd number of quotes precedes or is at it. */
const findStrings: readonly Code[] = [
  set(inString, get(quotes)),
  ...[1, 2, 4, 8, 16, 32].map((by) =>
    set(inString, i64.xor(get(inString), i64.shiftLeft(get(inString), by))),
  ),
  set(inString, i64.xor(get(inString), getGlobal(wasInString))),
  setGlobal(wasInString, i64.shiftRightSigned(get(inString), 63)),
]

const scanBlock: readonly Code[] = [
  set(backslashes, bitsOf(is('\\'))),
  set(quotes, bitsOf(is('"'))),
  set(controls, bitsOf(isControl)),
  set(units, i64.of(0n)),
  when(i64.isSet(i64.or(get(backslashes), getGlobal(wasEscaped))), ...findEscaped),
  set(inString, getGlobal(wasInString)),
  when(i64.isSet(get(quotes)), ...findStrings),
  set(wrong, i64.and(get(controls), get(inString))),
  set(wrong, i64.or(get(wrong), i64.and(get(backslashes), i64.not(get(inString))))),
  setGlobal(faults, i64.or(getGlobal(faults), get(wrong))),
  set(found, i64.or(get(quotes), get(units))),
  when(
    i64.isSet(get(found)),
    repeatWhile(
      i64.isSet(get(found)),
      i32.store(get(out), i32.add(get(at), i32.low(i64.trailingZeros(get(found))))),
      set(out, i32.add(get(out), i32.of(4))),
      set(found, i64.and(get(found), i64.sub(get(found), i64.of(1n)))),
    ),
  ),
]

/** Takes the number of bytes, a multiple of a block; returns the number of marks written behind them. */
const body: readonly Code[] = [
  set(out, i32.of(partBytes)),
  repeatWhile(
    i32.isLess(get(at), get(ends)),
    ...quarters.map((quarter, index) => set(quarter, v128.load(get(at), 16 * index))),
    when(i32.or(hasAny, i64.isSet(getGlobal(wasEscaped))), ...scanBlock),
    set(at, i32.add(get(at), i32.of(blockBytes))),
  ),
  i32.shiftRight(i32.sub(get(out), i32.of(partBytes)), i32.of(2)),
]

interface Exports {
  readonly memory: WebAssembly.Memory
  readonly run: (sizeBytes: number) => number
  readonly wasEscaped: WebAssembly.Global
  readonly wasInString: WebAssembly.Global
  readonly faults: WebAssembly.Global
}

/** A scanner for one text after another. */
export function createMarkScanner(): MarkScanner {
  const globals = ['wasEscaped', 'wasInString', 'faults']
  // A mark takes four bytes, and every byte may be one.
  const memoryPages = (5 * partBytes) / pageBytes
  const module = new WebAssembly.Module(assemble({ locals, globals, memoryPages, body }))
  const exports = new WebAssembly.Instance(module).exports as unknown as Exports
  const part = new Uint8Array(exports.memory.buffer, 0, partBytes)
  const marks = new Int32Array(exports.memory.buffer, partBytes)
  const state = [exports.wasEscaped, exports.wasInString, exports.faults]
  return {
    begin() {
      for (const global of state) global.value = 0n
    },
    scan(bytes) {
      const end = Math.ceil(bytes.length / blockBytes) * blockBytes
      part.set(bytes)
      part.fill(0x20, bytes.length, end)
      return marks.subarray(0, end === 0 ? 0 : exports.run(end))
    },
    isSound: () => state.every(({ value }) => value === 0n),
  }
}
