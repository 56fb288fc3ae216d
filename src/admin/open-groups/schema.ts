import { type Static, Type } from '@sinclair/typebox'

export const OpenGroups = Type.Object({
  items: Type.Array(
    Type.Object({
      name: Type.String(),
      description: Type.String(),
      platform: Type.String(),
      rate_multiplier: Type.String({ description: 'Every base price is multiplied by it.' }),
      models: Type.Array(Type.String(), { description: 'What can be called now.' }),
    }),
  ),
})
export type OpenGroups = Static<typeof OpenGroups>
