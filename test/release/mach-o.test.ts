import { expect, test } from 'bun:test'
import { checkSignature } from '../../data/release/mach-o/check.ts'
import { signAdHoc } from '../../data/release/mach-o/sign.ts'

const pageSize = 4096
const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest()

/** A program for macOS of one segment and two and a half pages, signed as `codesign --sign -` does. */
function signedProgram(): Uint8Array {
  const codeSize = 2.5 * pageSize
  const pages = 3
  const directorySize = 64 + pages * 32
  const signatureSize = 20 + directorySize
  const bytes = new Uint8Array(codeSize + signatureSize)
  for (let at = 300; at < codeSize; at++) bytes[at] = at * 7
  const view = new DataView(bytes.buffer)
  const put = (at: number, isLittle: boolean, values: readonly number[]) => {
    for (const [index, value] of values.entries()) view.setUint32(at + 4 * index, value, isLittle)
  }
  const little = (at: number, ...values: number[]) => put(at, true, values)
  const big = (at: number, ...values: number[]) => put(at, false, values)
  const name = (at: number, text: string) => bytes.set(new TextEncoder().encode(text), at)
  little(0, 0xfeedfacf)
  little(16, 3)
  // Two segments: what each is called, where it is in the file, and how large.
  little(32, 0x19, 72)
  name(32 + 8, '__TEXT')
  little(32 + 40, 0, 0, pageSize, 0)
  little(104, 0x19, 72)
  name(104 + 8, '__LINKEDIT')
  little(104 + 40, pageSize, 0, bytes.length - pageSize, 0)
  little(176, 0x1d, 16, codeSize, signatureSize)
  big(codeSize, 0xfade0cc0, signatureSize, 1, 0, 20)
  const directory = codeSize + 20
  big(directory, 0xfade0c02, directorySize, 0x20400, 2, 64, 44, 0, pages, codeSize)
  bytes.set([32, 2, 0, 12], directory + 36)
  for (let page = 0; page < pages; page++) {
    const end = Math.min((page + 1) * pageSize, codeSize)
    bytes.set(sha256(bytes.subarray(page * pageSize, end)), directory + 64 + 32 * page)
  }
  return bytes
}

test('a program that is signed over all of its bytes is released', () => {
  expect(() => checkSignature(signedProgram())).not.toThrow()
})

test('a program with another signature is signed anew', () => {
  const changed = signedProgram().with(5000, 1)
  const signed = signAdHoc(changed, 'tollgate')
  expect(() => checkSignature(signed)).not.toThrow()
  expect(signed.subarray(300, 2.5 * pageSize)).toEqual(changed.subarray(300, 2.5 * pageSize))
  expect(signAdHoc(signed, 'tollgate')).toEqual(signed)
})

test.each([
  ['a changed byte', (bytes: Uint8Array) => bytes.with(5000, 1), 'page 1 has another hash'],
  ['a changed last page', (bytes: Uint8Array) => bytes.with(10_000, 1), 'page 2 has another hash'],
  ['a byte behind it', (bytes: Uint8Array) => Uint8Array.of(...bytes, 0), 'it ends at'],
  ['no signature', (bytes: Uint8Array) => bytes.with(16, 2), 'there is none'],
  ['another form', () => new Uint8Array(64), 'no 64-bit program'],
])('%s is refused', (_, change, message) => {
  expect(() => checkSignature(change(signedProgram()))).toThrow(message)
})
