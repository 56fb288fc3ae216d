import { type Static, Type } from '@sinclair/typebox'

const Value = Type.Union([Type.String({ maxLength: 5000 }), Type.Number(), Type.Boolean()])
const ValueOrNull = Type.Union([Value, Type.Null()])

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
  value: Type.Union([Value, Type.Null()], { description: 'In force; null: not set.' }),
  default: ValueOrNull,
  source: Type.Union([Type.Literal('default'), Type.Literal('console'), Type.Literal('file')]),
  line: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Line of tollgate.yaml that has the last word.',
  }),
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
  changes: Type.Record(Type.String({ maxLength: 100 }), ValueOrNull),
})
export type SettingPatch = Static<typeof SettingPatch>
