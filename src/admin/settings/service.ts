import type { SignedIn } from '../access.ts'
import type { SettingList, SettingPatch } from './schema.ts'

/** Settings for administrators. Refusals are thrown as `ApiError`. */
export interface SettingService {
  list(): Promise<SettingList>
  change(who: SignedIn, patch: SettingPatch): Promise<SettingList>
}
