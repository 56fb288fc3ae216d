import { readGuide } from './files.ts' with { type: 'macro' }

/** The guide's Markdown, as it was when the program was built. */
export const guideTexts = readGuide()
