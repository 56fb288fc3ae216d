import { type Static, Type } from '@sinclair/typebox'
import { oneOf, orNull } from '../shapes.ts'

const Value = Type.Union([Type.String({ maxLength: 5000 }), Type.Number(), Type.Boolean()])

export const SettingView = Type.Object({
  name: Type.String({ description: 'As the file has it: settings.max_attempts.' }),
  kind: oneOf(['flag', 'whole', 'choice', 'text']),
  choices: Type.Array(Type.String()),
  description: Type.String(),
  value: orNull(Value, 'In force; null: not set.'),
  default: orNull(Value),
  source: oneOf(['default', 'console', 'file']),
  line: orNull(Type.Integer(), 'Line of tollgate.yaml that has the last word.'),
})
export type SettingView = Static<typeof SettingView>

export const SettingList = Type.Object({
  revision: Type.String(),
  items: Type.Array(SettingView),
})
export type SettingList = Static<typeof SettingList>

/** Changes by name; null: the default. */
export const SettingPatch = Type.Object({
  revision: Type.String({ maxLength: 100 }),
  changes: Type.Record(Type.String({ maxLength: 100 }), orNull(Value)),
})
export type SettingPatch = Static<typeof SettingPatch>
