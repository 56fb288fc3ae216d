import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core'
import { accentsOf, fonts, palettes, radius, typeScale } from '../look/tokens.ts'
import type { Language } from './lib/language.ts'
import { pageSite } from './lib/site.ts'

const closeLabels: Readonly<Record<Language, string>> = { en: 'Close', zh: '关闭' }
const eyeLabels: Readonly<Record<Language, string>> = {
  en: 'Show or hide the password',
  zh: '显示或隐藏密码',
}

const px = (size: number) => `${size / 16}rem`
const [xs, sm, md, lg, xl, huge] = typeScale.map(px)
const fontSizes = { xs, sm, md, lg, xl } as Readonly<
  Record<'xs' | 'sm' | 'md' | 'lg' | 'xl', string>
>

/** Both schemes take the accent from CSS variables: its shades are for what asks for one by number. */
const { accent } = accentsOf(pageSite.accent).light
const shades = Array.from({ length: 10 }, () => accent) as unknown as MantineColorsTuple

/** The library's greys of the dark scheme: texts, lines and grounds, from light to dark. */
const { fg, soft, line, surface, bg } = palettes.dark
const dark: MantineColorsTuple = [fg, soft, soft, soft, line, line, surface, bg, bg, bg]

const heading = (fontSize = md, lineHeight = '1.35') => ({ fontSize, lineHeight })

/** Buttons of the accent have its own text colour. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const usual = defaultVariantColorsResolver(input)
  const isAccent = (input.color ?? 'accent') === 'accent'
  if (input.variant !== 'filled' || !isAccent) return usual
  return { ...usual, color: 'var(--on-accent)' }
}

/** The console's look, from the tokens of the site; crosses say what they do. */
export const themeOf = (language: Language) =>
  createTheme({
    colors: { accent: shades, dark },
    primaryColor: 'accent',
    primaryShade: 9,
    autoContrast: true,
    variantColorResolver,
    defaultRadius: 'md',
    radius: { xs: '4px', sm: '6px', md: '6px', lg: `${radius}px`, xl: '16px' },
    fontSizes,
    spacing: { xs: px(8), sm: px(12), md: px(16), lg: px(20), xl: px(32) },
    fontFamily: fonts.text,
    fontFamilyMonospace: fonts.code,
    headings: {
      fontWeight: '600',
      sizes: {
        h1: heading(huge),
        h2: heading(xl),
        h3: heading(lg),
        h4: heading(md),
        h5: heading(md),
        h6: heading(sm),
      },
    },
    cursorType: 'pointer',
    // As `header` they would be a second banner of the page.
    components: {
      ModalHeader: { defaultProps: { component: 'div' } },
      DrawerHeader: { defaultProps: { component: 'div' } },
      PasswordInput: {
        defaultProps: { visibilityToggleButtonProps: { 'aria-label': eyeLabels[language] } },
      },
      Badge: { defaultProps: { tt: 'none', radius: 'xl', color: 'accent' } },
      Button: { defaultProps: { color: 'accent' } },
      Card: { defaultProps: { radius: 'lg' } },
      // Rounder, a small box is taken for a radio button.
      Checkbox: { defaultProps: { radius: 'xs' } },
      Paper: { defaultProps: { radius: 'lg' } },
      CloseButton: { defaultProps: { 'aria-label': closeLabels[language] } },
    },
    respectReducedMotion: true,
  })

/** A colour of the library as one of the tokens: as text, and faintly behind it. */
const mapped = (name: string, token: string) => ({
  [`--mantine-color-${name}-text`]: `var(--${token})`,
  [`--mantine-color-${name}-light-color`]: `var(--${token})`,
  [`--mantine-color-${name}-light`]: `color-mix(in srgb, var(--${token}) 8%, var(--bg))`,
  [`--mantine-color-${name}-light-hover`]: `color-mix(in srgb, var(--${token}) 14%, var(--bg))`,
  [`--mantine-color-${name}-outline`]: `var(--${token})`,
})

const variables = {
  '--mantine-color-body': 'var(--bg)',
  '--mantine-color-text': 'var(--fg)',
  '--mantine-color-bright': 'var(--fg)',
  '--mantine-color-dimmed': 'var(--soft)',
  '--mantine-color-placeholder': 'var(--soft)',
  '--mantine-color-error': 'var(--bad)',
  '--mantine-color-success': 'var(--ok)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-color-default': 'var(--bg)',
  '--mantine-color-default-hover': 'var(--surface)',
  '--mantine-color-default-color': 'var(--fg)',
  '--mantine-color-default-border': 'var(--line)',
  '--mantine-color-accent-filled': 'var(--accent)',
  '--mantine-color-accent-filled-hover': 'color-mix(in srgb, var(--accent) 88%, var(--fg))',
  ...mapped('accent', 'accent'),
  '--mantine-color-accent-light': 'var(--accent-soft)',
  ...mapped('red', 'bad'),
  ...mapped('yellow', 'mid'),
  ...mapped('green', 'ok'),
  ...mapped('gray', 'soft'),
  ...mapped('blue', 'accent'),
}

/** The library's variables in terms of the site's, which know light and dark. */
export const variablesOf: CSSVariablesResolver = () => ({
  variables: {},
  light: variables,
  dark: variables,
})
