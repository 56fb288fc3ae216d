/** Light, dark, or as the system has it. */
export type Scheme = 'light' | 'dark' | 'auto'

/** The component library's own name: both parts of the console share the choice. */
const storageKey = 'mantine-color-scheme-value'

/** What was chosen before on this browser. */
export function chosenScheme(): Scheme {
  const chosen = localStorage.getItem(storageKey)
  return chosen === 'light' || chosen === 'dark' ? chosen : 'auto'
}

/** Shows the page in a scheme, and keeps it for the next visit. */
export function chooseScheme(scheme: Scheme): void {
  localStorage.setItem(storageKey, scheme)
  showScheme(scheme)
}

/** Shows the page in a scheme. */
export function showScheme(scheme: Scheme): void {
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches
  const shown = scheme === 'auto' ? (isDark ? 'dark' : 'light') : scheme
  document.documentElement.setAttribute('data-mantine-color-scheme', shown)
}
