import type { BunPlugin } from 'bun'

/**
 * What the console's library brings along and the console has no use for. Its table takes a scroll area with it,
 * which takes all that places lists beside their fields: a sixth of a page.
 */
const leftOut: readonly (readonly [file: RegExp, instead: string])[] = [
  [
    /@mantine\/core\/esm\/components\/Table\/TableScrollContainer\.mjs$/,
    'export const TableScrollContainer = undefined',
  ],
]

/** Leaves these files out of a build. */
export const lighter: BunPlugin = {
  name: 'lighter',
  setup(build) {
    for (const [filter, contents] of leftOut) {
      build.onLoad({ filter }, () => ({ contents, loader: 'js' }))
    }
  },
}

/** How the bundler tells languages that are written from right to left. */
const rightToLeft = String.raw`:is\(:lang\(ae\)[^{}]*?:lang\(yi\)\)`

/** Colours of the library that nothing in the console has. */
const otherColours = 'pink|grape|violet|indigo|cyan|lime'

/** Styles without the rules whose selector has this; each rule is read once. */
const withoutRules = (css: string, selector: RegExp): string =>
  css.replace(/([^{}]*)\{[^{}]*\}/g, (rule, of: string) => (selector.test(of) ? '' : rule))

/**
 * Styles without what no browser of today needs: the bundler repeats rules for browsers that do not know `:is`, and
 * for languages that the console does not speak.
 */
export function lighterStyles(css: string): string {
  const ofToday = withoutRules(css, /:-(?:webkit|moz)-any\(/)
  const leftToRight = ofToday.replaceAll(new RegExp(String.raw`:not\(${rightToLeft}\)`, 'g'), '')
  return withoutRules(leftToRight, new RegExp(rightToLeft)).replaceAll(
    new RegExp(`--mantine-color-(?:${otherColours})-[\\w-]+:[^;}]*;?`, 'g'),
    '',
  )
}
