import { decidingFields, foldAll } from './deciding-fields.ts'
import { bodySettings } from './known-fields.ts'
import { decidingSettings } from './settings-names.ts'
import { unreadFields } from './unread-fields.ts'

const fold = (name: string) => foldAll(name).replace(/[^a-z0-9]/g, '')

const names: ReadonlySet<string> = new Set(
  [...decidingFields.keys(), ...bodySettings, ...decidingSettings, ...unreadFields.keys()].map(
    fold,
  ),
)

/**
 * Whether a body says what has this name, in any protocol and spelling: what stands elsewhere in a
 * request by such a name could make an upstream do another thing than what its body was read for.
 */
export const isOfBody = (name: string): boolean => names.has(fold(name))
