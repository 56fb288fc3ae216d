import type { Edit } from './edits.ts'

/** What was set by hand, by name; values as tollgate.yaml has them. */
export interface StoredSettings {
  readonly values: ReadonlyMap<string, unknown>
  /** Tells states of all of them apart. */
  readonly revision: string
}

/** Settings by hand. */
export interface SettingEdits {
  storedSettings(): Promise<StoredSettings>
  /** Sets what is named; null takes a setting away. Throws `Conflict`. */
  setSettings(
    changes: ReadonlyMap<string, string | number | boolean | null>,
    edit: Edit,
  ): Promise<void>
}
