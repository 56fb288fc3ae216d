import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Guard, SignedIn } from '../access.ts'
import { forAdmins, success } from '../envelope.ts'
import { oneOf, orNull } from '../shapes.ts'

const Value = Type.Union([Type.String({ maxLength: 5000 }), Type.Number(), Type.Boolean()])

export const SettingView = Type.Object({
  name: Type.String({ description: 'As the file has it: settings.max_attempts.' }),
  kind: oneOf(['flag', 'whole', 'choice', 'usd', 'text']),
  choices: Type.Array(Type.String()),
  description: Type.String(),
  value: orNull(Value, 'In force; null: not set.'),
  default: orNull(Value),
  source: oneOf(['default', 'console', 'file']),
  example: orNull(Type.String(), 'A value that fits, where there is no default.'),
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

/** Settings, for administrators. Refusals are thrown as `ApiError`. */
export interface SettingService {
  list(): Promise<SettingList>
  change(who: SignedIn, patch: SettingPatch): Promise<SettingList>
}

/** Settings of the gateway, for administrators. */
export const settingRoutes = (guard: Guard, settings: SettingService) =>
  new Elysia({ name: 'admin.settings', prefix: '/api/v1/admin/settings' })
    .use(guard('admin'))
    .get('', async () => success(await settings.list()), {
      ...forAdmins(SettingList, 'What is set, by whom, and what is the default'),
    })
    .patch('', async ({ who, body }) => success(await settings.change(who, body)), {
      body: SettingPatch,
      ...forAdmins(SettingList, 'Change what is named; it holds at once'),
    })
