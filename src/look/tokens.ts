import { accentOn, leastContrast } from './contrast.ts'

/** The colours of one scheme; those of texts have a contrast of 4.5 or more on `bg` and `surface`. */
export interface Palette {
  readonly bg: string
  /** Behind code, heads of tables, quiet boxes. */
  readonly surface: string
  readonly fg: string
  /** Secondary text. */
  readonly soft: string
  readonly line: string
  readonly ok: string
  readonly mid: string
  readonly bad: string
}

export const palettes = {
  light: {
    bg: '#ffffff',
    surface: '#f6f8f9',
    fg: '#15191d',
    soft: '#57606a',
    line: '#e2e6ea',
    ok: '#08724f',
    mid: '#8f5300',
    bad: '#b3202b',
  },
  dark: {
    bg: '#101315',
    surface: '#181c1f',
    fg: '#e8ebee',
    soft: '#9aa4ae',
    line: '#2a3036',
    ok: '#4cc79a',
    mid: '#f2b350',
    bad: '#ff7f86',
  },
} as const satisfies Readonly<Record<string, Palette>>

/** The accent where the operator has chosen none. */
export const usualAccent = '#0b7285'

export const fonts = {
  text: 'system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif',
  code: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
} as const

/** Font sizes, in pixels. */
export const typeScale = [12, 13, 14, 16, 20, 28, 40] as const

/** All distances are multiples of it, in pixels. */
export const spacing = 4

/** Radius of corners, in pixels. */
export const radius = 8

/** Accents of an operator's colour, readable on either background; on dark ones, 4.5 still looks dull. */
export const accentsOf = (accent: string) => ({
  light: accentOn(accent, palettes.light, leastContrast),
  dark: accentOn(accent, palettes.dark, 6.5),
})

/** All tokens as CSS variables, light and dark by the reader's system. `accent`: `#rrggbb`. */
export function tokensCss(accent: string = usualAccent): string {
  const accents = accentsOf(accent)
  const colours = (scheme: 'light' | 'dark') =>
    Object.entries({ ...palettes[scheme], ...accents[scheme] })
      .map(([name, colour]) => `--${name}:${colour}`)
      .join(';')
  const sizes = typeScale.map((px) => `--t-${px}:${px / 16}rem`).join(';')
  const steps = [1, 2, 3, 4, 6, 8, 12, 16].map((n) => `--s-${n}:${n * spacing}px`).join(';')
  return (
    `:root{color-scheme:light dark;${colours('light')};${sizes};${steps};--radius:${radius}px;` +
    `--font:${fonts.text};--mono:${fonts.code}}` +
    `@media(prefers-color-scheme:dark){:root{${colours('dark')}}}`
  )
}
