import { type Static, Type } from '@sinclair/typebox'
import { orNull } from '../shapes.ts'

const Value = Type.Union([Type.String({ maxLength: 5000 }), Type.Number(), Type.Boolean()])

/** A setting of the whole gateway, by its name in tollgate.yaml. */
export const SettingView = Type.Object({
  name: Type.String({ description: 'As the file has it: settings.max_attempts.' }),
  kind: Type.Union([
    Type.Literal('flag'),
    Type.Literal('whole'),
    Type.Literal('choice'),
    Type.Literal('text'),
  ]),
  choices: Type.Array(Type.String()),
  description: Type.String(),
  value: orNull(Value, 'In force; null: not set.'),
  default: orNull(Value),
  source: Type.Union([Type.Literal('default'), Type.Literal('console'), Type.Literal('file')]),
  line: orNull(Type.Integer(), 'Line of tollgate.yaml that has the last word.'),
})
export type SettingView = Static<typeof SettingView>

/** All of them, in the order of the file. */
export const SettingList = Type.Object({
  revision: Type.String(),
  items: Type.Array(SettingView),
})
export type SettingList = Static<typeof SettingList>

/** What changes, by name; null: as by default. */
export const SettingPatch = Type.Object({
  revision: Type.String({ maxLength: 100 }),
  changes: Type.Record(Type.String({ maxLength: 100 }), orNull(Value)),
})
export type SettingPatch = Static<typeof SettingPatch>
