/**
 * Signatures on their way to gemini clients. The vendor's are bytes in base64, and its SDKs for
 * Python and Go decode them: a signature that is no base64 fails the whole answer there, and what
 * comes back is written in the URL's alphabet. So everything that is not the vendor's own goes as
 * the base64 of a marked text.
 */

const mark = 'tollgate:'

/** How every wrapped signature begins: the base64 of the mark, whose length is a multiple of 3. */
export const wrappedPrefix = 'dG9sbGdhdGU6'

/** Several signatures have one carrier: the call that follows them. No base64 has this in it. */
const separator = '~'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

/** Signatures as the value of one `thoughtSignature`. */
export function wrapSignatures(signatures: readonly string[]): string {
  return encoder.encode(mark + signatures.join(separator)).toBase64()
}

/** Whether a `thoughtSignature` is one of `wrapSignatures`. */
export function isWrapped(signature: string): boolean {
  return signature.startsWith(wrappedPrefix)
}

/** What was wrapped, joined with `~`; any other signature as it is. */
export function unwrapSignature(signature: string): string {
  if (!isWrapped(signature)) return signature
  const bytes = decodeBase64(signature)
  if (bytes === undefined) return signature
  try {
    return decoder.decode(bytes).slice(mark.length)
  } catch {
    // No UTF-8: not one of ours after all.
    return signature
  }
}

/** Bytes of base64 in either alphabet, padded or not; undefined when it is none. */
export function decodeBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.fromBase64(toStandardBase64(text))
  } catch {
    // No base64: the caller decides what that means.
    return undefined
  }
}

/** Base64 in the alphabet that every vendor takes, with padding: Google's Python SDK writes the URL's. */
export function toStandardBase64(text: string): string {
  const standard = /[-_]/.test(text) ? text.replaceAll('-', '+').replaceAll('_', '/') : text
  const over = standard.length % 4
  return over < 2 ? standard : standard + '='.repeat(4 - over)
}

/**
 * What stands for the signature of a call that another model made, or that has lost its own: without
 * any the vendor answers 400 from Gemini 3 on ("Function call is missing a thought_signature").
 * Documented as the text `skip_thought_signature_validator`; its SDKs write bytes, hence in base64.
 */
export const dummySignature = 'c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I='

const dummies = new Set(
  ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'].flatMap((text) => [
    text,
    encoder.encode(text).toBase64(),
  ]),
)

/** Whether a signature stands for none, in one of the forms that the vendor documents. */
export function isDummy(signature: string): boolean {
  return dummies.has(signature)
}
