import { paint } from '../../../src/app/demo/media.ts'

/** Arguments of the tool, and the structured output, that these tests ask for. */
export const weatherSchema = {
  type: 'object' as const,
  properties: {
    city: { type: 'string' },
    unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
  },
  required: ['city', 'unit'],
  additionalProperties: false,
}

/** An image to send. */
export const png = paint('a test')

/** Whether the bytes are a PNG file from its signature to its last chunk. */
export const isPng = (file: Uint8Array): boolean =>
  Buffer.from(file.subarray(1, 4)).toString('latin1') === 'PNG' &&
  Buffer.from(file.subarray(-8, -4)).toString('latin1') === 'IEND'

/** What a promise fails with; undefined when it does not. SDK promises are lazy: this awaits them. */
export const errorOf = async (promise: PromiseLike<unknown>): Promise<unknown> => {
  try {
    await promise
    return undefined
  } catch (cause) {
    return cause
  }
}
