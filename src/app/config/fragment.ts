import { type Loaded, loadConfig } from './load.ts'

/** A piece of tollgate.yaml as values: what a command's options or a form say. */
export type Fragment = { readonly [section: string]: object }

/**
 * Checks values by the same rules as the file, and fills in the same defaults. What a person typed
 * is meant as typed: nothing in it refers to the environment. What is said of regions needs
 * `countryHeader`, the setting in force.
 */
export function loadFragment(fragment: Fragment, countryHeader?: string | null): Loaded {
  const around = countryHeader ? { settings: { country_header: countryHeader } } : {}
  // JSON is YAML.
  const text = JSON.stringify({ ...around, ...fragment }).replaceAll('${', () => '$${')
  return loadConfig({ text, file: 'tollgate.yaml', env: {} })
}
