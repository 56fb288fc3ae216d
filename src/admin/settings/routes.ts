import { Elysia } from 'elysia'
import type { Guard, SignedIn } from '../access.ts'
import { forAdmins, success } from '../envelope.ts'
import { SettingList, SettingPatch } from './schema.ts'

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
