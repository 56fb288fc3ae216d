import { expect, test } from 'bun:test'
import { contrast, leastContrast, mix } from '../../src/look/contrast.ts'
import { accentsOf, palettes, tokensCss, usualAccent } from '../../src/look/tokens.ts'

const schemes = ['light', 'dark'] as const
const random = () =>
  `#${Math.floor(Math.random() * 0x1000000)
    .toString(16)
    .padStart(6, '0')}`

test('texts and signs of every palette are readable on both of its backgrounds', () => {
  for (const scheme of schemes) {
    const { bg, surface, line: _, ...texts } = palettes[scheme]
    for (const colour of Object.values(texts))
      for (const ground of [bg, surface])
        expect(contrast(colour, ground), `${scheme} ${colour}`).toBeGreaterThanOrEqual(
          leastContrast,
        )
  }
})

test('whatever accent an operator chooses, links and buttons are readable in light and dark', () => {
  const colours = ['#000000', '#ffffff', '#ffff00', '#0000ff', '#808080', usualAccent]
  for (let n = 0; n < 2_000; n++) colours.push(random())
  for (const colour of colours) {
    const accents = accentsOf(colour)
    for (const scheme of schemes) {
      const { accent, 'on-accent': on, 'accent-soft': soft } = accents[scheme]
      const { bg, surface } = palettes[scheme]
      for (const ground of [bg, surface, soft])
        expect(contrast(accent, ground), `${colour}, ${scheme}`).toBeGreaterThanOrEqual(
          leastContrast,
        )
      expect(contrast(on, accent), `${colour}, ${scheme}`).toBeGreaterThanOrEqual(leastContrast)
      expect(contrast(palettes[scheme].fg, soft)).toBeGreaterThanOrEqual(leastContrast)
      // What is chosen can be told from what is not.
      expect(contrast(soft, bg), `${colour}, ${scheme}`).toBeGreaterThan(1.05)
    }
  }
})

test('a readable accent stays exactly as it was chosen', () => {
  expect(accentsOf(usualAccent).light.accent).toBe(usualAccent)
  expect(tokensCss('#7a1fa2')).toContain('--accent:#7a1fa2')
})

test('contrast and mixtures are those of WCAG', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5)
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.478, 2)
  expect(mix('#000000', '#ffffff', 0.5)).toBe('#808080')
})
