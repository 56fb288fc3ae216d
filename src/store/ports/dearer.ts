import { type Static, Type } from '@sinclair/typebox'

/** By how much dearer than reckoned an answer has turned out. */
export const Dearer = Type.Object({
  accountId: Type.Integer(),
  channelId: Type.Union([Type.Integer(), Type.Null()]),
  upstreamModel: Type.Union([Type.String(), Type.Null()]),
  /** So many times what it was reckoned to come to at the most. */
  factor: Type.Number({ minimum: 1 }),
  /** By so many nano-USD. */
  byNano: Type.Number({ minimum: 0 }),
})
export type Dearer = Static<typeof Dearer>
