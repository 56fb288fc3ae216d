/** The least contrast of normal text (WCAG 2.2, 1.4.3). */
export const leastContrast = 4.5

interface Backgrounds {
  readonly bg: string
  readonly surface: string
}

/** An accent with at least this contrast on its scheme's backgrounds, and the text on a button of that colour. */
export function accentOn(accent: string, { bg, surface }: Backgrounds, least: number) {
  const softOf = (colour: string) => mix(colour, bg, 0.08)
  const pole = luminance(bg) > 0.5 ? black : white
  const isReadable = (colour: string) =>
    [bg, surface, softOf(colour)].every((ground) => contrast(colour, ground) >= least)
  let found = accent
  // Towards black or white in small steps: the hue stays, the first readable shade is taken.
  for (let part = 0; part <= 1 && !isReadable(found); part += 0.02) found = mix(pole, accent, part)
  return { accent: found, 'accent-soft': softOf(found), 'on-accent': textOn(found) }
}

const black = '#000000'
const white = '#ffffff'

/** Black or white, whichever reads better on a colour; one of them always has 4.5. */
const textOn = (colour: string) => (contrast(white, colour) >= leastContrast ? white : black)

/** `part` of one colour, the rest of another. */
export function mix(one: string, other: string, part: number): string {
  const rest = channels(other)
  const mixed = channels(one).map((value, at) => {
    return Math.round(value * part + (rest[at] ?? 0) * (1 - part))
  })
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

/** Contrast of two colours, 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const channels = (colour: string): readonly number[] =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
